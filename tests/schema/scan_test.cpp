// The generator's reader of C headers; it is part of a tool, not of the engine, so its source is compiled in here.
#include "tools/generate/scan.cpp"
#include "tools/generate/text.cpp"

#include <gtest/gtest.h>

using namespace haft;
using namespace haft::generate;

namespace {

using Names = std::vector<std::string>;

std::string error_of(const std::string& text) {
  try {
    scan_header("demo.h", text);
  } catch (const Error& e) {
    return e.message;
  }
  return "";
}

TEST(ScanHeader, ReadsDeclarationsOfSeveralLines) {
  std::vector<Function> f =
      scan_header("demo.h",
                  "/** One. @since 1.2. */\n"
                  "HAFT_API haft_status haft_from(haft_tensor** out, void* data, /* ; ) */\n"
                  "    const int64_t dims[], double v[2],\n"
                  "    void (*release)(void* user, int64_t n), void* user) HAFT_NOTHROW;\n");
  ASSERT_EQ(f.size(), 1u);
  EXPECT_EQ(f[0].name, "haft_from");
  EXPECT_EQ(f[0].returns, "haft_status");
  EXPECT_EQ(f[0].since, "1.2");
  EXPECT_EQ(f[0].header, "demo.h");
  EXPECT_EQ(f[0].parameter_names, (Names{"out", "data", "dims", "v", "release", "user"}));
  EXPECT_EQ(f[0].parameters[4], "void (*release)(void* user, int64_t n)");
}

TEST(ScanHeader, ReadsPointersAndNoParameters) {
  std::vector<Function> f =
      scan_header("demo.h", "/* @since 1.0 */\nHAFT_API const char* haft_version_text(void) HAFT_NOTHROW;\n");
  ASSERT_EQ(f.size(), 1u);
  EXPECT_EQ(f[0].returns, "const char*");
  EXPECT_TRUE(f[0].parameters.empty());
}

TEST(ScanHeader, OnlyLinesThatStartWithTheMacroCount) {
  EXPECT_TRUE(scan_header("demo.h",
                          "#define HAFT_API \\\nHAFT_API nothing\n"
                          "/*\nHAFT_API haft_status haft_commented(void);\n*/\n"
                          "// HAFT_API haft_status haft_commented(void);\n"
                          "typedef int HAFT_API_like;\n")
                  .empty());
}

TEST(ScanHeader, SinceComesFromTheOwnCommentOrTheFirstOne) {
  std::string text =
      "/* The header. @since 1.3 */\n#include <stdint.h>\n"
      "/** About a type. @since 9.9 */\ntypedef int haft_type;\n"
      "HAFT_API void haft_a(int x);\n"
      "/** @since 1.4 */\nHAFT_API void haft_b(int x);\nHAFT_API void haft_c(int x);\n";
  std::vector<Function> f = scan_header("demo.h", text);
  ASSERT_EQ(f.size(), 3u);
  EXPECT_EQ(f[0].since, "1.3");
  EXPECT_EQ(f[1].since, "1.4");
  EXPECT_EQ(f[2].since, "1.3");
}

TEST(ScanHeader, ErrorsNameFileAndLine) {
  EXPECT_EQ(error_of("\n/** Old. */\nHAFT_API void haft_a(int x);\n"),
            "demo.h:3: haft_a has no @since in its comment");
  EXPECT_EQ(error_of("/** @since 1.0 */\nHAFT_API void haft_a(int);\n"),
            "demo.h:2: a parameter without a name: void haft_a(int)");
  EXPECT_EQ(error_of("/** @since 1.0 */\nHAFT_API void other(int x);\n"),
            "demo.h:2: not a function of haft: void other(int x)");
  EXPECT_EQ(error_of("/** @since 1.0 */\nHAFT_API void haft_a(int x;\n"),
            "demo.h:2: a parenthesis is missing: void haft_a(int x");
}

TEST(Text, CallsBreakBehindTheParenthesis) {
  EXPECT_EQ(generate::call("f(", {"a", "b"}, ");\n"), "f(a, b);\n");
  std::string wide(60, 'x');
  EXPECT_EQ(generate::call("f(", {wide, wide}, ");\n"), "f(" + wide + ",\n  " + wide + ");\n");
}

}  // namespace
