// Pictures are read as Pillow reads them, from files of every kind of PNG and PNM; what is broken, cut or too large is refused with a reason.
#include "runtime/Image.h"
#include "test/unit/support/TemporaryFolder.h"
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <zlib.h>

using namespace heddle::runtime;

namespace {

using Bytes = std::vector<int>;
using Floats = std::vector<float>;

std::string bigEndian(uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8), static_cast<char>(value)};
}
std::string chunk(std::string type, const std::string &data) {
  type += data;
  auto checksum = crc32(0, reinterpret_cast<const Bytef *>(type.data()), static_cast<uInt>(type.size()));
  return bigEndian(static_cast<uint32_t>(data.size())) + type + bigEndian(static_cast<uint32_t>(checksum));
}
std::string deflated(const std::string &plain) {
  std::string packed(compressBound(plain.size()), '\0');
  uLongf size = packed.size();
  compress2(reinterpret_cast<Bytef *>(packed.data()), &size, reinterpret_cast<const Bytef *>(plain.data()), plain.size(), 9);
  return packed.substr(0, size);
}
std::string text(std::initializer_list<int> bytes) { return {bytes.begin(), bytes.end()}; }

const std::string signature = "\x89PNG\r\n\x1a\n", end = chunk("IEND", "");
enum Colours { grey = 0, rgb = 2, palette = 3, greyAlpha = 4, rgba = 6 };

std::string header(uint32_t width, uint32_t height, int depth, int colours, int interlaced = 0) {
  return signature + chunk("IHDR", bigEndian(width) + bigEndian(height) + text({depth, colours, 0, 0, interlaced}));
}
/// `rows`: each begins with the number of its filter.
std::string png(std::string header, std::initializer_list<int> rows) { return header + chunk("IDAT", deflated(text(rows))) + end; }

class ImageTest : public testing::Test {
protected:
  Bytes read(const std::string &file) {
    Image image;
    Bytes bytes;
    failure = {};
    // A block of its own, so that a sanitizer sees a step beyond it.
    std::vector<char> exact(file.begin(), file.end());
    if (readImage(exact.data(), static_cast<int64_t>(exact.size()), "a.png", image, failure)) {
      bytes.assign(image.bytes.begin(), image.bytes.end());
      EXPECT_EQ(image.bytes.size(), image.width * image.height * image.channels);
      size = {image.width, image.height, image.channels};
    }
    return bytes;
  }
  /// The message behind the name.
  std::string refusal(const std::string &file) {
    EXPECT_EQ(read(file), Bytes{});
    std::string_view text = failure.text;
    EXPECT_EQ(failure.code, 1) << "not refused";
    EXPECT_EQ(text.substr(0, 7), "'a.png'") << text;
    return std::string(text.substr(text.size() < 7 ? text.size() : 7));
  }
  Floats pixels(const std::string &file, PixelForm form) {
    Image image;
    Floats result(static_cast<size_t>(form.channels * form.height * form.width));
    failure = {};
    EXPECT_TRUE(readImage(file.data(), static_cast<int64_t>(file.size()), "a.png", image, failure)) << failure.text;
    return imageToPixels(image, "a.png", form, result.data(), failure) ? result : Floats{};
  }
  Bytes resized(const Image &image, int64_t width, int64_t height, Resample filter) {
    Image result;
    EXPECT_TRUE(resizeImage(image, width, height, filter, result, failure)) << failure.text;
    return Bytes(result.bytes.begin(), result.bytes.end());
  }
  Failure failure;
  std::vector<int64_t> size; // width, height, channels
};

using Size = std::vector<int64_t>;

TEST_F(ImageTest, ReadsGreyPngOfAllDepths) {
  EXPECT_EQ(read(png(header(3, 1, 1, grey), {0, 0b10100000})), (Bytes{255, 0, 255}));
  EXPECT_EQ(size, (Size{3, 1, 1}));
  EXPECT_EQ(read(png(header(4, 1, 2, grey), {0, 0b00011011})), (Bytes{0, 85, 170, 255}));
  EXPECT_EQ(read(png(header(2, 2, 4, grey), {0, 0x0f, 0, 0x1e})), (Bytes{0, 255, 17, 238}));
  EXPECT_EQ(read(png(header(2, 1, 8, grey), {0, 7, 200})), (Bytes{7, 200}));
  EXPECT_EQ(read(png(header(2, 1, 16, grey), {0, 1, 0xff, 0xfe, 0x00})), (Bytes{1, 0xfe})) << "the upper byte, not rounded";
}

TEST_F(ImageTest, ReadsPngWithColoursAndDropsAlpha) {
  EXPECT_EQ(read(png(header(2, 1, 8, rgb), {0, 1, 2, 3, 4, 5, 6})), (Bytes{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(size, (Size{2, 1, 3}));
  EXPECT_EQ(read(png(header(1, 1, 16, rgb), {0, 1, 255, 2, 255, 3, 255})), (Bytes{1, 2, 3}));
  EXPECT_EQ(read(png(header(1, 2, 8, rgba), {0, 1, 2, 3, 0, 0, 4, 5, 6, 128})), (Bytes{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(read(png(header(1, 1, 16, rgba), {0, 1, 255, 2, 255, 3, 255, 0, 0})), (Bytes{1, 2, 3}));
  EXPECT_EQ(read(png(header(2, 1, 8, greyAlpha), {0, 9, 0, 8, 255})), (Bytes{9, 8}));
  EXPECT_EQ(read(png(header(1, 1, 16, greyAlpha), {0, 9, 255, 0, 0})), (Bytes{9}));
  EXPECT_EQ(read(png(header(2, 1, 8, rgb) + chunk("tRNS", text({0, 1, 0, 2, 0, 3})), {0, 1, 2, 3, 4, 5, 6})), (Bytes{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(read(png(header(2, 1, 8, grey) + chunk("tRNS", text({0, 7})), {0, 7, 200})), (Bytes{7, 200}));
}

TEST_F(ImageTest, ReadsPngWithPalette) {
  std::string colours = chunk("PLTE", text({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})), clear = chunk("tRNS", text({0, 128}));
  EXPECT_EQ(read(png(header(2, 1, 2, palette) + colours, {0, 0b11010000})), (Bytes{10, 11, 12, 4, 5, 6}));
  EXPECT_EQ(read(png(header(2, 1, 4, palette) + colours + clear, {0, 0x02})), (Bytes{1, 2, 3, 7, 8, 9}));
  EXPECT_EQ(read(png(header(2, 1, 8, palette) + colours + clear, {0, 3, 0})), (Bytes{10, 11, 12, 1, 2, 3}));
  EXPECT_EQ(size, (Size{2, 1, 3}));
  EXPECT_EQ(read(png(header(2, 1, 8, palette) + colours, {0, 3, 4})), (Bytes{10, 11, 12, 0, 0, 0})) << "beyond the palette is black";
}

TEST_F(ImageTest, ReadsPngWithFiltersPassesAndSeveralPieces) {
  // Each row: the sum with nothing, left, above, the mean of both, the nearest of three.
  EXPECT_EQ(read(png(header(2, 5, 8, grey), {0, 10, 20, 1, 1, 1, 2, 1, 1, 3, 1, 1, 4, 1, 1})), (Bytes{10, 20, 1, 2, 2, 3, 2, 3, 3, 4}));
  EXPECT_EQ(read(png(header(2, 2, 8, grey, 1), {0, 1, 0, 2, 0, 3, 4})), (Bytes{1, 2, 3, 4})) << "Adam7: passes 1, 6 and 7";
  std::string pixels = deflated(text({0, 7, 200}));
  std::string pieces = chunk("IDAT", pixels.substr(0, 3)) + chunk("IDAT", "") + chunk("IDAT", pixels.substr(3));
  EXPECT_EQ(read(header(2, 1, 8, grey) + pieces + end), (Bytes{7, 200}));
  EXPECT_EQ(read(header(2, 1, 8, grey) + pieces + end + "more"), (Bytes{7, 200})) << "what stands behind the end is not looked at";
}

TEST_F(ImageTest, DoesNotLookAtProfilesAndGamma) {
  std::string extra = chunk("gAMA", bigEndian(100)) + chunk("iCCP", "broken") + chunk("tEXt", "nothing") + chunk("prVt", "private");
  EXPECT_EQ(read(png(header(2, 1, 8, grey) + extra, {0, 7, 200})), (Bytes{7, 200}));
}

TEST_F(ImageTest, RefusesPngThatIsCutOrHasAWrongBit) {
  std::string good = png(header(2, 2, 8, palette) + chunk("PLTE", text({1, 2, 3, 4, 5, 6})), {0, 0, 1, 0, 1, 0});
  ASSERT_EQ(read(good), (Bytes{1, 2, 3, 4, 5, 6, 4, 5, 6, 1, 2, 3}));
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_EQ(refusal(good.substr(0, length)),
              length < 4 ? " is neither PNG nor PNM (P2, P3, P5, P6) nor NumPy's .npy: convert the picture to PNG" : " is cut short")
        << length;
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string wrong = good;
    wrong[bit / 8] = static_cast<char>(wrong[bit / 8] ^ 1 << bit % 8);
    EXPECT_NE(refusal(wrong), "") << "bit " << bit % 8 << " of byte " << bit / 8;
  }
}

/// The reason is in libpng's words, which its versions change.
TEST_F(ImageTest, RefusesBrokenPng) {
  std::string start = header(2, 1, 8, grey), pixels = deflated(text({0, 7, 200}));
  EXPECT_EQ(refusal(start + chunk("IDAT", pixels)), " is cut short");
  for (const std::string &broken : {
           start + end,                                                 // no pixels
           start + chunk("IDAT", "no deflate") + end,                   //
           start + chunk("IDAT", pixels.substr(0, 5)) + end,            //
           png(start, {0, 7}),                                          // too few
           png(start, {0, 7, 200, 0}),                                  // too many
           png(start, {5, 7, 200}),                                     // no such filter
           png(header(2, 1, 7, grey), {0, 7, 200}),                     // no such depth
           png(header(2, 1, 8, palette), {0, 0, 0}),                    // no palette
           png(start + chunk("CRIT", "critical, unknown"), {0, 7, 200}) //
       })
    EXPECT_THAT(refusal(broken), testing::MatchesRegex(" is a broken PNG file: ..+"));
  EXPECT_EQ(refusal("\x89PNG\n\x1a\n" + start.substr(8)), " is a broken PNG file: PNG file corrupted by ASCII conversion");
}

TEST_F(ImageTest, SizeIsBelievedOnlyAsFarAsTheFileCanFillIt) {
  EXPECT_EQ(refusal(png(header(9000, 9000, 8, rgb), {0})),
            ": its header asks for at least 243000000 bytes of values, a PNG file of 66 bytes holds at most 68112");
  EXPECT_EQ(refusal(png(header(30000, 30000, 8, rgb), {0})), ": expected a picture of 1 to 100000000 pixels, got width 30000, height 30000");
  EXPECT_EQ(refusal(png(header(0x7fffffff, 0x7fffffff, 16, rgba), {0})),
            ": expected a picture of 1 to 100000000 pixels, got width 2147483647, height 2147483647");
  EXPECT_EQ(refusal("P6 2147483647 2147483647 65535\n"), ": expected a picture of 1 to 100000000 pixels, got width 2147483647, height 2147483647");
  EXPECT_EQ(refusal("P6 9000 9000 255\n123"), ": its header asks for at least 243000001 bytes of values, the file has 4");
  EXPECT_EQ(refusal("P3 9000 9000 255\n1 2 3"), ": its header asks for at least 486000000 bytes of values, the file has 6");
  EXPECT_EQ(refusal("P5 0 1 255\n"), ": expected a picture of 1 to 100000000 pixels, got width 0, height 1");
}

/// With a checksum that fits, what is wrong reaches the decoder: it may find nothing amiss, but never leaves its memory.
TEST_F(ImageTest, WrongBitsWithRightChecksumsAreReadOrRefused) {
  std::string size = bigEndian(3) + bigEndian(3) + text({4, palette, 0, 0, 1}), colours = text({1, 2, 3, 4, 5, 6});
  std::string pixels = deflated(text({0, 0x10, 0, 0x10, 0, 0x11, 0, 0x10, 0, 0x00, 0, 0x01, 0x10}));
  auto file = [&] { return signature + chunk("IHDR", size) + chunk("PLTE", colours) + chunk("IDAT", pixels) + end; };
  int good = 0, refused = 0;
  for (std::string *part : {&size, &colours, &pixels})
    for (size_t bit = 0; bit < part->size() * 8; ++bit) {
      char &byte = (*part)[bit / 8], kept = byte;
      byte = static_cast<char>(byte ^ 1 << bit % 8);
      (read(file()).empty() ? refused : good) += 1;
      EXPECT_EQ(failure.code == 1, failure.text[0] != 0);
      byte = kept;
    }
  EXPECT_GT(good, 48) << "every palette is a good one";
  EXPECT_GT(refused, 100);
}

TEST_F(ImageTest, ReadsPnm) {
  EXPECT_EQ(read("P5 2 1 255\n\7\xc8"), (Bytes{7, 200}));
  EXPECT_EQ(size, (Size{2, 1, 1}));
  EXPECT_EQ(read("P6\n1 2\n255\nabcdef"), (Bytes{'a', 'b', 'c', 'd', 'e', 'f'}));
  EXPECT_EQ(size, (Size{1, 2, 3}));
  EXPECT_EQ(read("P2 2 1 255 7 200"), (Bytes{7, 200}));
  EXPECT_EQ(read("P3 1 2 255\n1 2 3\n4 5 6\n"), (Bytes{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(size, (Size{1, 2, 3}));
  EXPECT_EQ(read("P2#a\n# 9 9\n2#b\r1 #c\n255\n7#d\n200 # the end"), (Bytes{7, 200}));
  EXPECT_EQ(read("P5 2 1 255#c\n\7\xc8"), (Bytes{7, 200}));
  EXPECT_EQ(read("P5 2 1 255\n#\xc8\n"), (Bytes{'#', 200})) << "one space ends the header";
}

TEST_F(ImageTest, SpreadsPnmValuesOverEightBits) {
  EXPECT_EQ(read("P2 4 1 3 0 1 2 3"), (Bytes{0, 85, 170, 255}));
  EXPECT_EQ(read("P2 3 1 2 0 1 2"), (Bytes{0, 128, 255})) << "127.5 goes to the even one";
  EXPECT_EQ(read("P2 3 1 6 1 3 5"), (Bytes{42, 128, 212})) << "42.5 and 212.5 too";
  EXPECT_EQ(read("P2 4 1 65535 0 128 129 65535"), (Bytes{0, 0, 1, 255}));
  EXPECT_EQ(read(std::string("P5 3 1 1023\n\0\0\1\xff\3\xff", 18)), (Bytes{0, 127, 255}));
}

TEST_F(ImageTest, RefusesBrokenPnm) {
  for (std::string good : {"P6 2 1 255\nabcdef", "P5 2 1 256 abcd", "P2 2 1 9 8 7", "P3 1 1 999\t100 0 100"})
    for (size_t length = 0; length + (good[1] < '4' ? 2 : 0) < good.size(); ++length)
      EXPECT_NE(refusal(good.substr(0, length)), "") << good << " " << length;
  EXPECT_EQ(refusal("P6 2 1"), " is cut short");
  EXPECT_EQ(refusal("P2 2 1 9 8 # 7"), " is cut short");
  EXPECT_EQ(refusal("P6 -2 1 255\nabcdef"), ": expected a width of at most 2147483647, got '-2'");
  EXPECT_EQ(refusal("P6 2 18446744073709551617 255\nabcdef"), ": expected a height of at most 2147483647, got '1844674407370955'");
  EXPECT_EQ(refusal("P6 2 1 65536\nabcdef"), ": expected a largest value of at most 65535, got '65536'");
  EXPECT_EQ(refusal("P6 2 1 0\nabcdef"), ": expected a largest value of 1 to 65535, got 0");
  EXPECT_EQ(refusal("P2 2 1 9 8 10"), ": expected a value of at most 9, got '10'");
  EXPECT_EQ(refusal("P2 2 1 9 8 \x1b[1m"), ": expected a value of at most 9, got '\\x1b[1m'");
  EXPECT_EQ(refusal("P5 2 1 9 \7\12"), ": expected values of at most 9, got 10");
  EXPECT_EQ(refusal("P2 2 1 9 8 7 6"), " has 1 bytes more than its header asks for");
  EXPECT_EQ(refusal("P5 1 1 9 \7P5 1 1 9 \7"), " has 10 bytes more than its header asks for");
}

TEST_F(ImageTest, FirstBytesTellTheFormatAndFilesAreFiles) {
  const char *unknown = " is neither PNG nor PNM (P2, P3, P5, P6) nor NumPy's .npy: convert the picture to PNG";
  for (const char *other : {"", "\xff\xd8\xff\xe0 a JPEG file", "GIF89a", "P4 1 1\n1", "P7\nWIDTH 1", "PK\3\4", "P5x"})
    EXPECT_EQ(refusal(other), unknown);
  heddle::TemporaryFolder folder;
  Image image;
  EXPECT_TRUE(readImage(folder.put("named.png", "P5 2 1 255\n\7\xc8").c_str(), image, failure = {}));
  EXPECT_EQ(image.bytes.size(), 2);
  auto message = [&](const std::string &path) {
    EXPECT_FALSE(readImage(path.c_str(), image, failure = {}));
    EXPECT_EQ(failure.code, 1);
    std::string text = failure.text;
    return text.replace(text.find(path), path.size(), "PATH");
  };
  EXPECT_EQ(message(folder.put("a.jpg", "\xff\xd8\xff\xe0 a JPEG file")), std::string("'PATH'") + unknown);
  EXPECT_EQ(message(folder / "missing"), "cannot open: 'PATH': No such file or directory");
  EXPECT_EQ(message(folder.path), "cannot read 'PATH': it is a folder, expected a file");
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(message(folder / "pipe"), "cannot read 'PATH': it is a device or pipe, expected a file");
  std::filesystem::resize_file(folder.put("long", "P5 1 1 255\n"), uintmax_t{1} << 40);
  EXPECT_EQ(message(folder / "long"), "'PATH' has 1099511627776 bytes, expected at most 1073741824");
}

TEST_F(ImageTest, PixelsAreScaledAndLaidOutByChannel) {
  const float mean[] = {0.5f, 0.25f, 0}, deviation[] = {0.5f, 0.25f, 2};
  EXPECT_EQ(pixels("P3 2 1 255  255 0 255  0 255 0", {1, 2, 3, 1 / 255.0, mean, deviation, Resample::none}), (Floats{1, -1, -1, 3, 0.5f, 0}));
  EXPECT_EQ(pixels("P2 2 1 255  255 0", {1, 2, 3, 1 / 255.0, mean, deviation, Resample::none}), (Floats{1, -1, 3, -1, 0.5f, 0}));
  EXPECT_EQ(pixels("P2 1 2 255  255 0", {2, 1, 1, 1, mean + 2, deviation + 2, Resample::none}), (Floats{127.5f, 0}));
  // What Pillow's convert("L") gives: red 76, green 150, blue 29, white 255.
  const float zero = 0, one = 1;
  EXPECT_EQ(pixels("P3 4 1 255  255 0 0  0 255 0  0 0 255  255 255 255", {1, 4, 1, 1, &zero, &one, Resample::none}), (Floats{76, 150, 29, 255}));
  EXPECT_EQ(pixels("P2 2 1 255  255 0", {1, 3, 3, 1, mean, deviation, Resample::none}), Floats{});
  EXPECT_STREQ(failure.text, "'a.png': expected a picture of width 3, height 1, got width 2, height 1: resize it first");
}

/// Expected values: Pillow 13.0, resize().
TEST_F(ImageTest, ResizesAsPillowDoes) {
  Image image;
  ASSERT_TRUE(image.bytes.resize(7 * 5));
  image.width = 7, image.height = 5, image.channels = 1;
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 7; ++x)
      image.bytes[y * 7 + x] = static_cast<uint8_t>(7 * x * x + 31 * y * y + 13 * x * y + 5);
  EXPECT_EQ(resized(image, 3, 2, Resample::bilinear), (Bytes{67, 105, 97, 110, 129, 88}));
  EXPECT_EQ(resized(image, 3, 2, Resample::bicubic), (Bytes{61, 108, 96, 117, 132, 85}));
  EXPECT_EQ(resized(image, 7, 2, Resample::bicubic), (Bytes{41, 67, 99, 84, 145, 112, 51, 128, 87, 149, 164, 58, 155, 24}));
  EXPECT_EQ(resized(image, 9, 6, Resample::bilinear),
            (Bytes{5,  10,  21,  41,  68, 106, 152, 120, 1,  28, 39, 59, 86,  121, 166, 113, 68,  83, 90,  108, 136, 139, 66,  120, 122, 95,  60,
                   87, 113, 149, 159, 95, 74,  121, 114, 15, 82, 73, 96, 148, 208, 80,  102, 103, 12, 245, 114, 80,  140, 208, 87,  117, 126, 41}));
  EXPECT_EQ(resized(image, 9, 6, Resample::bicubic),
            (Bytes{4,  7,   18,  38,  65, 101, 171, 130, 0, 22, 31, 49, 81,  131, 190, 107, 49,  95, 99,  117, 154, 151, 53,  125, 131, 93,  63,
                   82, 116, 168, 174, 82, 55,  135, 128, 2, 70, 60, 84, 150, 221, 66,  99,  109, 7,  255, 108, 60,  144, 208, 74,  120, 136, 36}));
  EXPECT_EQ(resized(image, 7, 5, Resample::bicubic), Bytes(image.bytes.begin(), image.bytes.end()));
}

TEST_F(ImageTest, PixelsOfAnotherSizeAreResizedWhereTheModelSaysHow) {
  const float zero[3] = {}, one[3] = {1, 1, 1};
  const char *picture = "P3 3 2 255  0 255 10  255 0 20  128 128 128  255 255 255  0 0 0  9 99 199";
  EXPECT_EQ(pixels(picture, {3, 2, 3, 1, zero, one, Resample::bilinear}),
            (Floats{96, 176, 128, 91, 159, 6, 159, 80, 159, 71, 159, 62, 14, 88, 87, 106, 159, 124}));
  EXPECT_EQ(pixels(picture, {3, 2, 1, 1, zero, one, Resample::bilinear}), (Floats{124, 110, 142, 81, 159, 52})) << "made grey, then resized";
  EXPECT_EQ(pixels(picture, {3, 2, 1, 1, zero, one, Resample::bicubic}), (Floats{122, 112, 143, 76, 164, 40}));
  EXPECT_EQ(pixels("P5 1 200000 255\n" + std::string(200000, 'x'), {2, 1000, 1, 1, zero, one, Resample::bicubic}), Floats{});
  EXPECT_STREQ(failure.text, "'a.png': expected a picture of width 1000, height 2, got width 1, height 200000: it is too tall to be resized here");
}

} // namespace
