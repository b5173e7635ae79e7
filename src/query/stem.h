// The English stemmer of the Snowball project ("Porter2"), which PostgreSQL's full-text search
// uses. Our operation rank restates that search's rank, so a word must have the same stem.
#pragma once

#include <string>
#include <string_view>

namespace ki::query {

// The stem of one lower-case ASCII word. Words with a character outside a-z (digits) are returned
// as they are.
std::string stem_english(std::string_view word);

// Whether full-text search drops the word: the English stop word list of PostgreSQL.
bool is_english_stop_word(std::string_view word);

}  // namespace ki::query
