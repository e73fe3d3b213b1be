//! `scripts/bench`: what the layer costs, beside no layer, an empty one and the Khronos layer.

mod arguments;
mod configuration;
mod measurement;
mod modes;
mod table;
mod vkcube;
mod work;

use std::process::ExitCode;

use arguments::Mode;

fn main() -> ExitCode {
    let done = match arguments::read(std::env::args().skip(1)) {
        Ok(Mode::Work(plan)) => work::run(&plan).map(|result| println!("{result}")),
        Ok(Mode::Lint(shape, draws)) => {
            work::lint(&shape, draws).map(|result| println!("{result}"))
        }
        Ok(Mode::Table(options)) => modes::table(&options),
        Ok(Mode::Soak { minutes }) => modes::soak(minutes),
        Ok(Mode::Scale { json }) => modes::scale(json),
        Err(message) => Err(message),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("tilelint-bench: {message}");
            ExitCode::from(2)
        }
    }
}
