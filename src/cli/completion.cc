#include "cli/completion.h"

#include "base/text.h"

namespace ki::cli {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + '\'';
}

std::string candidates(const CommandSpec& command) {
  std::string out = join(command.words, " ");
  for (const auto& option : command.options) out += (out.empty() ? "" : " ") + option;
  return out;
}

// bash and zsh (through bashcompinit) share one function: the words typed so far that are no
// options name the command, whose candidates are offered beside file names.
std::string bash_function(const std::vector<CommandSpec>& commands) {
  std::string out =
      "_ki() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} path= word i\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    word=${COMP_WORDS[i]}\n"
      "    case $word in -*) ;; *) case \"$path $word\" in\n";
  for (const auto& command : commands) {
    if (!command.path.empty())
      out += "      " + quoted(" " + command.path) + ") path=\" " + command.path + "\" ;;\n";
  }
  out += "    esac ;; esac\n  done\n  local words=\n  case $path in\n";
  for (const auto& command : commands) {
    out += "    " + quoted(command.path.empty() ? "" : " " + command.path) +
           ") words=" + quoted(candidates(command)) + " ;;\n";
  }
  return out +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "  [[ $current == -* ]] || COMPREPLY+=($(compgen -f -- \"$current\"))\n"
         "}\n";
}

std::string fish_script(const std::vector<CommandSpec>& commands) {
  std::string out;
  for (const auto& command : commands) {
    std::string condition;
    if (command.path.empty()) {
      condition = "__fish_use_subcommand";
    } else {
      for (const auto word : split(command.path, ' ')) {
        condition += (condition.empty() ? "" : "; and ") +
                     std::string("__fish_seen_subcommand_from ") + std::string(word);
      }
    }
    for (const auto& word : command.words) {
      out += "complete -c ki -n " + quoted(condition) + " -a " + quoted(word);
      for (const auto& other : commands) {
        if (other.path == (command.path.empty() ? word : command.path + ' ' + word)) {
          out += " -d " + quoted(other.help);
        }
      }
      out += '\n';
    }
    for (const auto& option : command.options) {
      if (option.starts_with("--")) {
        out += "complete -c ki -n " + quoted(condition) + " -l " + quoted(option.substr(2)) + '\n';
      }
    }
  }
  return out;
}

}  // namespace

Result<std::string> completion_script(std::string_view shell,
                                      const std::vector<CommandSpec>& commands) {
  if (shell == "bash") return bash_function(commands) + "complete -F _ki ki\n";
  if (shell == "zsh") {
    return "#compdef ki\nautoload -U +X bashcompinit && bashcompinit\n" + bash_function(commands) +
           "complete -F _ki ki\n";
  }
  if (shell == "fish") return fish_script(commands);
  return fail(Code::invalid, "unknown shell; choose bash, zsh or fish", excerpt(shell));
}

}  // namespace ki::cli
