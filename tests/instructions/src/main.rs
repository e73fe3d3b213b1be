//! The program that gungraun's benchmarks start: it runs each of them under valgrind.

use std::process::ExitCode;

fn main() -> ExitCode {
    env_logger::init_from_env(env_logger::Env::default().default_filter_or("warn"));
    match gungraun_runner::runner::run::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gungraun-runner: {error:?}");
            ExitCode::FAILURE
        }
    }
}
