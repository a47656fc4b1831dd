//! Cases against a subject: the catalogue, one case's room, its run, its judge, and many at once.

mod catalogue;
mod dispatch;
mod drive;
mod judge;
mod observation;
mod room;
mod run;
mod scratch;
mod stop;

pub use catalogue::{Catalogue, CatalogueError, EDITION};
pub use dispatch::dispatch;
pub use run::{Options, Runner, SuiteError, run, run_pairs};
pub use stop::Stop;
