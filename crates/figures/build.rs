//! Compresses the fonts of pictures, which halves their share of the program.

use std::io::Write;
use std::path::Path;
use std::{env, fs, io};

use flate2::Compression;
use flate2::write::ZlibEncoder;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    for (name, font) in [("regular", dejavu::sans::regular()), ("bold", dejavu::sans::bold())] {
        let mut compressed = ZlibEncoder::new(Vec::new(), Compression::best());
        compressed.write_all(font)?;
        fs::write(Path::new(&folder).join(name), compressed.finish()?)?;
    }
    Ok(())
}
