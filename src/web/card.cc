#include "web/card.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include <cairo.h>
#include <dlfcn.h>

#include "base/text.h"
#include "web/html.h"

namespace ki::web {
namespace {

constexpr double kMargin = 72;
constexpr std::size_t kTextBytesMax = 400;  // of one text; far more than fits
constexpr std::string_view kCut = "…";

struct Colour {
  double red, green, blue;
};
constexpr Colour kGround{1, 1, 1};
constexpr Colour kInk{0.082, 0.098, 0.118};
constexpr Colour kSoft{0.337, 0.376, 0.42};
constexpr Colour kAccent{0.043, 0.353, 0.549};

struct Font {
  double size;
  bool bold = false;
  Colour colour = kInk;
};

// The functions that are used of the library, found when the first card is drawn.
struct Cairo {
  decltype(&cairo_image_surface_create) image_surface_create = nullptr;
  decltype(&cairo_surface_destroy) surface_destroy = nullptr;
  decltype(&cairo_surface_write_to_png_stream) write_png = nullptr;
  decltype(&cairo_create) create = nullptr;
  decltype(&cairo_destroy) destroy = nullptr;
  decltype(&cairo_status) status = nullptr;
  decltype(&cairo_status_to_string) status_text = nullptr;
  decltype(&cairo_set_source_rgb) set_source_rgb = nullptr;
  decltype(&cairo_paint) paint = nullptr;
  decltype(&cairo_rectangle) rectangle = nullptr;
  decltype(&cairo_fill) fill = nullptr;
  decltype(&cairo_move_to) move_to = nullptr;
  decltype(&cairo_show_text) show_text = nullptr;
  decltype(&cairo_text_extents) text_extents = nullptr;
  decltype(&cairo_select_font_face) select_font_face = nullptr;
  decltype(&cairo_set_font_size) set_font_size = nullptr;
  bool complete = false;

  Cairo() {
    void* const library =
        dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);  // kept: it is used for good
    if (library == nullptr) return;
    complete = true;
    const auto find = [&]<class F>(F& function, const char* name) {
      function = reinterpret_cast<F>(dlsym(library, name));
      complete = complete && function != nullptr;
    };
    find(image_surface_create, "cairo_image_surface_create");
    find(surface_destroy, "cairo_surface_destroy");
    find(write_png, "cairo_surface_write_to_png_stream");
    find(create, "cairo_create");
    find(destroy, "cairo_destroy");
    find(status, "cairo_status");
    find(status_text, "cairo_status_to_string");
    find(set_source_rgb, "cairo_set_source_rgb");
    find(paint, "cairo_paint");
    find(rectangle, "cairo_rectangle");
    find(fill, "cairo_fill");
    find(move_to, "cairo_move_to");
    find(show_text, "cairo_show_text");
    find(text_extents, "cairo_text_extents");
    find(select_font_face, "cairo_select_font_face");
    find(set_font_size, "cairo_set_font_size");
  }
};

const Cairo& cairo() {
  static const Cairo library;
  return library;
}

class Drawing {
 public:
  Drawing()
      : surface_(cairo().image_surface_create(CAIRO_FORMAT_RGB24, kCardWidth, kCardHeight),
                 cairo().surface_destroy),
        context_(cairo().create(surface_.get()), cairo().destroy) {}

  void paint(const Colour& colour) {
    use(colour);
    cairo().paint(context_.get());
  }
  void bar(double x, double y, double width, double height, const Colour& colour) {
    use(colour);
    cairo().rectangle(context_.get(), x, y, width, height);
    cairo().fill(context_.get());
  }
  // One line at the baseline `y`; returns where it ends.
  double text(double x, double y, const std::string& line, const Font& font) {
    use(font);
    cairo().move_to(context_.get(), x, y);
    cairo().show_text(context_.get(), line.c_str());
    return x + width(line, font);
  }
  double width(const std::string& line, const Font& font) {
    use(font);
    cairo_text_extents_t extents{};
    cairo().text_extents(context_.get(), line.c_str(), &extents);
    return extents.x_advance;
  }
  Result<std::string> png() const {
    std::string bytes;
    const auto append = [](void* to, const unsigned char* data, unsigned int size) {
      static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), size);
      return CAIRO_STATUS_SUCCESS;
    };
    const cairo_status_t drawn = cairo().status(context_.get());
    const cairo_status_t written =
        drawn == CAIRO_STATUS_SUCCESS ? cairo().write_png(surface_.get(), append, &bytes) : drawn;
    if (written == CAIRO_STATUS_SUCCESS) return bytes;
    return fail(Code::internal, std::string("no card: ") + cairo().status_text(written));
  }

 private:
  void use(const Colour& colour) {
    cairo().set_source_rgb(context_.get(), colour.red, colour.green, colour.blue);
  }
  void use(const Font& font) {
    cairo().select_font_face(context_.get(), "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                             font.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo().set_font_size(context_.get(), font.size);
    use(font.colour);
  }

  std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)> surface_;
  std::unique_ptr<cairo_t, void (*)(cairo_t*)> context_;
};

// At most `bytes_max` bytes of it, cut at a character.
std::string_view head_of(std::string_view text, std::size_t bytes_max) {
  std::size_t end = std::min(bytes_max, text.size());
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
    --end;
  }
  return text.substr(0, end);
}

// The longest beginning of `text` that fits, cut at a character. At least one character.
std::size_t fitting(Drawing& drawing, std::string_view text, const Font& font, double width) {
  std::size_t low = 0;
  std::size_t high = text.size();
  while (low < high) {
    const std::size_t middle = (low + high + 1) / 2;
    if (drawing.width(std::string(head_of(text, middle)), font) <= width) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  std::size_t end = head_of(text, low).size();
  if (end > 0) return end;
  for (end = 1; end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80;) ++end;
  return end;
}

struct Box {
  double width = 0;
  std::size_t lines_max = 1;
};

// Broken at blanks where there are some; the last line ends in "…" when text is left.
std::vector<std::string> broken(Drawing& drawing, std::string_view text, const Font& font,
                                const Box& box) {
  std::vector<std::string> lines;
  text = trim(text);
  while (!text.empty() && lines.size() < box.lines_max) {
    std::size_t end = fitting(drawing, text, font, box.width);
    const bool is_last = lines.size() + 1 == box.lines_max;
    if (end < text.size() && is_last) {
      end = fitting(drawing, text, font, box.width - drawing.width(std::string(kCut), font));
      lines.push_back(std::string(text.substr(0, end)) + std::string(kCut));
      break;
    }
    if (end < text.size()) {
      const std::size_t blank = text.substr(0, end + 1).rfind(' ');
      if (blank != std::string_view::npos && blank > 0) end = blank;
    }
    lines.emplace_back(trim(text.substr(0, end)));
    text = trim(text.substr(end));
  }
  return lines;
}

}  // namespace

Result<std::string> draw_card(const Card& card) {
  constexpr double kInner = kCardWidth - 2 * kMargin;
  const auto shown = [](std::string_view text) { return plain(excerpt(text, kTextBytesMax)); };
  if (!cairo().complete) {
    return fail(Code::unavailable, "cards need libcairo2, which this machine lacks");
  }
  Drawing drawing;
  drawing.paint(kGround);
  drawing.bar(0, 0, 14, kCardHeight, kAccent);
  double y = 110;
  drawing.text(kMargin, y, shown(card.kind), {.size = 30, .colour = kAccent});
  const Font title{.size = 62, .bold = true};
  for (const std::string& line :
       broken(drawing, shown(card.title), title, {.width = kInner, .lines_max = 3})) {
    drawing.text(kMargin, y += 76, line, title);
  }
  const Font subtitle{.size = 32, .colour = kSoft};
  y += 12;
  for (const std::string& line :
       broken(drawing, shown(card.subtitle), subtitle, {.width = kInner, .lines_max = 2})) {
    drawing.text(kMargin, y += 44, line, subtitle);
  }
  constexpr double kFoot = kCardHeight - 72;
  if (!card.figure.empty()) {
    const Font figure{.size = 72, .bold = true, .colour = kAccent};
    const auto line = broken(drawing, shown(card.figure), figure, {.width = kInner / 2});
    const double x = line.empty() ? kMargin : drawing.text(kMargin, kFoot, line[0], figure);
    const Font note{.size = 30, .colour = kSoft};
    const auto beside = broken(drawing, shown(card.note), note, {.width = kCardWidth - x - 340});
    if (!beside.empty()) drawing.text(x + 24, kFoot, beside[0], note);
  }
  const Font brand{.size = 32, .bold = true};
  const std::string name = "KernelIndex";
  drawing.text(kCardWidth - kMargin - drawing.width(name, brand), kFoot, name, brand);
  return drawing.png();
}

}  // namespace ki::web
