//! Draws that four threads record at once, beside the same draws recorded by one of them.

use std::ops::Range;
use std::sync::{Barrier, mpsc};
use std::thread;
use std::time::Instant;

use serde_json::{Value, json};

use super::frames::{Counted, IN_FLIGHT, N_THREADS, Slot, Times};
use super::gpu::Gpu;
use super::measure::{Spread, status_kib, time};
use super::record::Recorder;
use super::scene::Scene;
use super::{N_WARM, Plan, prepare};

/// Runs pairs of frames: in the first each thread records its part at once with the others, in
/// the second one thread records all parts, one after another.
///
/// `unit_ns` is the time of a draw on its thread while all record, `alone_ns` while one does. With
/// fewer free processors than threads, the former holds time in which a thread did not run.
pub fn run(plan: &Plan, units: usize) -> Value {
    let gpu = Gpu::open();
    let draw_at = gpu.draw_at();
    let scene = Scene::new(&gpu);
    // Either kind of frame has command buffers of its own: what a thread records into was
    // recorded by itself before.
    let slots = [(); 2 * IN_FLIGHT].map(|()| Slot::new(&gpu));
    prepare(&gpu, &scene, &slots[0]);
    let part = |slot: &Slot, n: usize| {
        let recorder = Recorder { gpu: &gpu, scene: &scene, buffer: slot.buffers[n] };
        recorder.whole(|r| r.pass(&scene.target, |r| r.draws(units / N_THREADS)));
    };
    let begin = Barrier::new(N_THREADS);
    // Nanoseconds of a draw, by a thread that records parts of the frame in a slot.
    let record = |(slot, parts): (usize, Range<usize>)| {
        let n_draws = units / N_THREADS * parts.len();
        if parts.len() == 1 {
            begin.wait();
        }
        time(|| parts.for_each(|n| part(&slots[slot], n))) / n_draws as f64
    };
    let (mut together, mut alone, mut times) = (Vec::new(), Vec::new(), Times::default());
    let start = Instant::now();
    thread::scope(|scope| {
        let (done, recorded) = mpsc::channel();
        let workers = [(); N_THREADS].map(|()| {
            let (work, jobs) = mpsc::channel::<(usize, Range<usize>)>();
            let (done, record) = (done.clone(), &record);
            scope.spawn(move || jobs.iter().try_for_each(|job| done.send(record(job))));
            work
        });
        let mut frame = |at: usize, values: &mut Vec<f64>, jobs: &[Range<usize>]| {
            let at = at % slots.len();
            let slot = &slots[at];
            slot.begin(&gpu, N_THREADS);
            for (worker, parts) in workers.iter().zip(jobs) {
                worker.send((at, parts.clone())).expect("the thread lives");
            }
            let sum: f64 = recorded.iter().take(jobs.len()).sum();
            values.push(sum / jobs.len() as f64);
            let submit = || slot.submit(&gpu, N_THREADS, false);
            times.frame(Counted::Nothing, || {}, submit);
        };
        let each: Vec<_> = (0..N_THREADS).map(|n| n..n + 1).collect();
        let all = 0..N_THREADS;
        for n in 0..N_WARM + plan.frames {
            if n > N_WARM && start.elapsed().as_secs_f64() > plan.seconds {
                break;
            }
            frame(2 * n, &mut together, &each);
            frame(2 * n + 1, &mut alone, std::slice::from_ref(&all));
        }
    });
    slots.into_iter().for_each(|slot| slot.destroy(&gpu));
    scene.destroy(&gpu);
    gpu.close();
    let measured = |values: Vec<f64>| Spread::of(values[N_WARM..].to_vec()).json(1);
    json!({
        "load": plan.load,
        "units": units,
        "frames": alone.len() - N_WARM,
        "draw_at": draw_at,
        "unit_ns": measured(together),
        "alone_ns": measured(alone),
        "submit_ns": measured(times.submit),
        "peak_kib": status_kib("VmHWM"),
    })
}
