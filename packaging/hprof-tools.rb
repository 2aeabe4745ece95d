# SPDX-License-Identifier: MIT
# A formula of Homebrew, for Linux: agents and hprof-dump read /proc. url and
# sha256 are those of the release, see its SHA256SUMS. Its commands were tried by hand,
# not by brew.
class HprofTools < Formula
  desc "Tools and a C library for heap dumps of Java virtual machines"
  homepage "https://libhprof.invalid/"
  url "https://libhprof.invalid/libhprof-0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "MIT"

  depends_on "pkgconf" => :build
  depends_on "isa-l"
  depends_on "libarchive"
  depends_on :linux
  depends_on "ncurses"
  depends_on "openjdk"
  depends_on "sqlite"
  depends_on "xz"
  depends_on "zlib"
  depends_on "zstd"

  def install
    system "./configure", "--disable-silent-rules", "--disable-jvm-tests",
           "--with-jdks=#{Formula["openjdk"].opt_libexec}", *std_configure_args
    system "make", "install"
  end

  test do
    (testpath/"dump.recipe").write <<~EOS
      header "JAVA PROFILE 1.0.2" id_size=8 time_ms=1700000000000
      UTF8 string_id=0x10 text="java/lang/Object"
      LOAD_CLASS class_serial=1 class_id=0x1000 name_id=0x10
      HEAP_DUMP_SEGMENT {
        ROOT_STICKY_CLASS object_id=0x1000
        CLASS_DUMP class_id=0x1000
        INSTANCE_DUMP object_id=0x2000 class_id=0x1000
      }
      HEAP_DUMP_END
    EOS
    system bin/"hprof-convert", "--from", "recipe", "dump.recipe", "dump.hprof"
    assert_match "java.lang.Object", shell_output("#{bin}/hprof-stat --csv --top 0 dump.hprof")
  end
end
