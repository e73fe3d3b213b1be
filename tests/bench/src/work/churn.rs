//! A program that makes and destroys objects every frame, and how much memory it takes over time.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::frames::{IN_FLIGHT, Slot};
use super::gpu::Gpu;
use super::measure::status_kib;
use super::record::Recorder;
use super::scene::{Scene, Target, pipeline};
use super::{Plan, prepare};

/// How often the resident memory is said, of a run that is long.
const INTERVAL: Duration = Duration::from_secs(10);
/// Draws in a frame.
const N_DRAWS: usize = 100;
/// So many samples are taken, evenly.
const N_SAMPLES: usize = 20;

/// Runs frames, each with images, views, a render pass, a framebuffer and a pipeline of its own.
pub fn run(plan: &Plan) -> Value {
    let gpu = Gpu::open();
    let mut scene = Scene::new(&gpu);
    let slots = [(); IN_FLIGHT].map(|()| Slot::new(&gpu));
    prepare(&gpu, &scene, &slots[0]);
    let (start, mut said) = (Instant::now(), Instant::now());
    let mut old = VecDeque::new();
    let mut resident = Vec::new();
    let mut n_frames = 0;
    while n_frames < plan.frames && start.elapsed().as_secs_f64() < plan.seconds {
        let slot = &slots[n_frames % IN_FLIGHT];
        slot.begin(&gpu, 1);
        if old.len() == IN_FLIGHT {
            let (target, made): (Target, _) = old.pop_front().expect("there are some");
            // SAFETY: the frame that used it is done.
            unsafe { gpu.device.destroy_pipeline(made, None) };
            target.destroy(&gpu);
        }
        let target = Target::new(&gpu);
        let made = pipeline(&gpu, target.pass, scene.layout);
        // The recorder draws with the scene's first pipeline.
        let first = std::mem::replace(&mut scene.pipelines[0], made);
        let recorder = Recorder { gpu: &gpu, scene: &scene, buffer: slot.buffers[0] };
        recorder.whole(|r| r.pass(&target, |r| r.draws(N_DRAWS)));
        scene.pipelines[0] = first;
        slot.submit(&gpu, 1, false);
        old.push_back((target, made));
        n_frames += 1;
        if n_frames.is_multiple_of((plan.frames / N_SAMPLES).max(1)) {
            resident.push(status_kib("VmRSS"));
        }
        if said.elapsed() > INTERVAL {
            said = Instant::now();
            let (seconds, kib) = (start.elapsed().as_secs(), status_kib("VmRSS"));
            eprintln!("{seconds:>6} s {n_frames:>10} frames {:>8.1} MiB", kib as f64 / 1024.0);
        }
    }
    let peak_kib = status_kib("VmHWM");
    for (target, made) in old {
        // SAFETY: the null driver has done everything; others are waited for when slots end.
        unsafe { gpu.device.device_wait_idle() }.expect("the device is idle");
        // SAFETY: the frame that used it is done.
        unsafe { gpu.device.destroy_pipeline(made, None) };
        target.destroy(&gpu);
    }
    slots.into_iter().for_each(|slot| slot.destroy(&gpu));
    scene.destroy(&gpu);
    let draw_at = gpu.draw_at();
    gpu.close();
    json!({
        "load": "churn", "frames": n_frames, "draw_at": draw_at,
        "resident_kib": resident, "peak_kib": peak_kib,
    })
}
