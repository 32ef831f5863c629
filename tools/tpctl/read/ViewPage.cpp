// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ViewPage.h. Data is compressed by zlib and written in base64. Browsers
// can decompress it (DecompressionStream).

#include "ViewPage.h"

#include "llvm/Support/Base64.h"
#include <zlib.h>

using namespace llvm;

// In view/pages.S, or without npm in view/no-pages.S.
extern "C" const char tpctl_view_page[], tpctl_view_page_end[],
    tpctl_diff_page[], tpctl_diff_page_end[];

namespace tpctl {

Expected<ViewPage> ViewPage::find(Kind Which) {
  StringRef Page =
      Which == OneRecording
          ? StringRef(tpctl_view_page, tpctl_view_page_end - tpctl_view_page)
          : StringRef(tpctl_diff_page, tpctl_diff_page_end - tpctl_diff_page);
  if (Page.empty())
    return createStringError(
        "this tpctl was built without the pages of view, as npm was missing "
        "or could not get the packages. Install nodejs and npm, run cmake "
        "again and build. Without the pages, 'tpctl export "
        "--format=speedscope' still writes a file for speedscope's website");
  return ViewPage(Page);
}

void ViewPage::add(StringRef Name, StringRef Text) {
  Data += ("<script type=\"text/plain\" id=\"data-" + Name + "\">" + Text +
           "</script>\n")
              .str();
}

void ViewPage::addPacked(StringRef Name, StringRef Text) {
  uLongf Bytes = compressBound(Text.size());
  std::string Packed(Bytes, '\0');
  // Fails only if memory runs out, or if the arguments are invalid.
  if (compress2(reinterpret_cast<Bytef *>(Packed.data()), &Bytes,
                Text.bytes_begin(), Text.size(), Z_DEFAULT_COMPRESSION) != Z_OK)
    report_bad_alloc_error("no memory for compression");
  Packed.resize(Bytes);
  add(Name, encodeBase64(Packed));
}

void ViewPage::addJson(StringRef Name, const json::Value &Value) {
  std::string Text, Safe;
  raw_string_ostream(Text) << Value;
  // Text must not end the element that it is in.
  for (char C : Text)
    Safe += C == '<' ? "\\u003c" : std::string(1, C);
  add(Name, Safe);
}

void ViewPage::write(raw_ostream &OS) const {
  auto [Before, After] = Page.split("@DATA@");
  OS << Before << Data << After;
}

} // namespace tpctl
