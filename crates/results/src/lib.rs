//! Results of replays: [`frame`] has them as data frames and files, [`text`] as tables. [`sweep`] runs a
//! study into a directory, [`inspect`] shows single jobs, machines and logs.
#![forbid(unsafe_code)]

pub mod frame;
pub mod inspect;
pub mod sweep;
pub mod text;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
