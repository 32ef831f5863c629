"""libtprt for Conan 2: the library alone, without a plugin and the tools, so no LLVM is needed."""
import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, get, rmdir

required_conan_version = ">=2.0"


class TpConan(ConanFile):
    name = "tp"
    version = "0.2.0"
    description = "Flips patchable sleds and instructions of running programs into calls of handlers"
    license = "Apache-2.0 WITH LLVM-exception"
    homepage = "https://tp.invalid"
    url = "https://tp.invalid"
    topics = ("tracing", "profiling", "instrumentation")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False]}
    default_options = {"shared": True}  # libtprt.so works in programs that tpctl attaches to, too

    def layout(self):
        cmake_layout(self, src_folder="src")

    def validate(self):
        if self.settings.os != "Linux" or self.settings.arch not in ("x86_64", "armv8"):
            raise ConanInvalidConfiguration("libtprt runs on Linux on x86-64 and AArch64")
        check_min_cppstd(self, 20)

    def build_requirements(self):
        self.tool_requires("cmake/[>=3.25]")

    def requirements(self):
        if self.settings.arch == "x86_64":  # headers of Zydis
            self.requires("zycore/[>=1.5 <2]", visible=False)

    def source(self):
        # libtprt contains Zydis and {fmt} of the versions that it is tested with.
        for name, archive in self.conan_data["sources"][self.version].items():
            get(self, **archive, destination=os.path.join(self.source_folder, name), strip_root=True)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["TP_RUNTIME_ONLY"] = True
        toolchain.cache_variables["TP_BUILD_TESTS"] = False
        toolchain.cache_variables["TP_FMT_INCLUDE"] = os.path.join(self.source_folder, "fmt", "include")
        if self.settings.arch == "x86_64":
            toolchain.cache_variables["TP_ZYDIS_FOLDER"] = os.path.join(self.source_folder, "zydis")
            toolchain.cache_variables["TP_ZYCORE_INCLUDE"] = self.dependencies["zycore"].cpp_info.includedirs[0]
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure(build_script_folder="tp")
        cmake.build()

    def package(self):
        CMake(self).install()
        licenses = os.path.join(self.package_folder, "licenses")
        copy(self, "LICENSE", os.path.join(self.source_folder, "tp"), licenses)
        copy(self, "LICENSE", os.path.join(self.source_folder, "zydis"), os.path.join(licenses, "zydis"))
        rmdir(self, os.path.join(self.package_folder, "share"))

    def package_info(self):
        # TpConfig.cmake of tp itself has the targets and tp_instrument().
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "Tp")]
        if self.options.shared:
            self.cpp_info.libs = ["tprt"]
        else:
            archive = os.path.join(self.package_folder, "lib", "libtprt.a")
            self.cpp_info.exelinkflags = [f"-Wl,--whole-archive,{archive},--no-whole-archive"]
