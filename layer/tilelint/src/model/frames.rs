//! Where frames end, and which of them are steady.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::awaited::Awaited;
use super::device::Settings;
use super::frame::{Frame, Ran, Step};
use super::objects::ImageId;
use super::timeline::{StepKind, StepRef};
use super::variants::VariantCount;
use crate::call::{FrameBoundary, Kind, Line, QueueKey, SwapchainKey};

/// Frames whose steadiness is remembered.
const REMEMBERED: usize = 1024;
/// The label with which XR runtimes end a frame.
pub const XR_FRAME_END: &str = "vr-marker,frame_end,type,application";

/// Submissions after which a frame that has not come round is looked at for a period.
const MANY_SUBMITS: usize = 16;
/// Submissions after which it is no longer looked at.
const MAX_SUBMITS: usize = 512;

/// Says whether the last submission begins a period that the ones before it went through twice.
fn ends_with_a_period(submits: &[u64]) -> bool {
    let Some((next, before)) = submits.split_last() else { return false };
    (1..=before.len() / 4).any(|period| {
        let (a, rest) = before.split_at(before.len() - period);
        let earlier = &a[a.len() - period..];
        earlier == rest && rest[0] == *next
    })
}

/// The frame that is being filled, and what is remembered of those before it.
#[derive(Debug)]
pub struct Frames {
    settings: Settings,
    index: u64,
    steps: Vec<Step>,
    ran: Vec<Ran>,
    /// Bytes of what they hold.
    ran_bytes: usize,
    /// Batches among the steps.
    n_batches: FxHashMap<QueueKey, u32>,
    counts: FxHashMap<(Kind, bool), u32>,
    counts_before: VecDeque<ObjectCounts>,
    object_lines: Vec<(Kind, bool, Line)>,
    time_ns: Option<u64>,
    awaited: Vec<Awaited>,
    opaque: Vec<Option<Vec<ImageId>>>,
    next_step: u32,
    next_submit: u32,
    next_pass: u32,
    made: u32,
    made_before: [Option<u32>; 2],
    keys_before: [FxHashSet<u64>; 2],
    ordinals: FxHashMap<u64, u32>,
    remembered: VecDeque<(u64, bool)>,
    seen: u64,
    judged: u64,
    steady: u64,
    mode: FrameBoundary,
    primary: Option<SwapchainKey>,
    first_submit: Option<u64>,
    /// Structures of the submissions of this frame, without markers and presents.
    submits: Vec<u64>,
    last_first_submit: Option<u64>,
    first_done: bool,
    /// Steps of this frame were dropped: what is left of it shows no rhythm.
    is_cut: bool,
    /// Steps that were dropped.
    n_dropped: u64,
}

/// Steps of a frame and what else it gathers, at most; more are no frame...
const MAX_STEPS: usize = 1 << 16;
/// ...and neither are more bytes of commands.
const MAX_BYTES: usize = 64 << 20;
/// Lines of objects made and destroyed that a frame remembers at most.
const MAX_LINES: usize = 256;

/// Numbers of objects by kind, made (`true`) or destroyed.
type ObjectCounts = Vec<((Kind, bool), u32)>;

fn by_kind(counts: &ObjectCounts, made: bool) -> Vec<(Kind, u32)> {
    let of = counts.iter().filter(|((_, m), _)| *m == made);
    of.map(|((kind, _), count)| (*kind, *count)).collect()
}

/// Strength of a boundary: the strongest kind seen ends frames, weaker ones do not.
fn strength(by: FrameBoundary) -> u8 {
    match by {
        FrameBoundary::Marker => 5,
        FrameBoundary::Boundary => 4,
        FrameBoundary::Label => 3,
        FrameBoundary::Present => 2,
        FrameBoundary::Rotation => 1,
        FrameBoundary::Submits => 0,
    }
}

impl Frames {
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            index: settings.first_frame,
            steps: Vec::new(),
            ran: Vec::new(),
            ran_bytes: 0,
            n_batches: FxHashMap::default(),
            counts: FxHashMap::default(),
            counts_before: VecDeque::new(),
            object_lines: Vec::new(),
            time_ns: None,
            awaited: Vec::new(),
            opaque: Vec::new(),
            next_step: 0,
            next_submit: 0,
            next_pass: 0,
            made: 0,
            made_before: [None; 2],
            keys_before: Default::default(),
            ordinals: FxHashMap::default(),
            remembered: VecDeque::new(),
            seen: 0,
            judged: 0,
            steady: 0,
            mode: if settings.markers_only {
                FrameBoundary::Marker
            } else {
                FrameBoundary::Submits
            },
            primary: None,
            first_submit: None,
            submits: Vec::new(),
            last_first_submit: None,
            first_done: false,
            is_cut: false,
            n_dropped: 0,
        }
    }

    /// Number of the frame that is being filled.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// Frames seen, judged or not.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// Judged frames and steady ones among them.
    pub fn counts(&self) -> (u64, u64) {
        (self.judged, self.steady)
    }

    /// What ends frames here.
    pub fn boundary(&self) -> FrameBoundary {
        self.mode
    }

    /// An attachment image, a render pass or a swapchain was made.
    pub fn made(&mut self) {
        self.made += 1;
    }

    /// An object was made, or destroyed.
    pub fn count(&mut self, kind: Kind, made: bool, line: Line) {
        if line.0 != 0 && self.object_lines.len() < MAX_LINES {
            self.object_lines.push((kind, made, line));
        }
        *self.counts.entry((kind, made)).or_insert(0) += 1;
    }

    /// A command buffer runs.
    pub fn run(&mut self, ran: Ran) {
        self.ran_bytes += ran.recording.bytes();
        self.ran.push(ran);
    }

    /// The frame took this long.
    pub fn took(&mut self, time_ns: Option<u64>) {
        self.time_ns = time_ns;
    }

    /// The host waited for a submission.
    pub fn awaited(&mut self, awaited: Awaited) {
        self.awaited.push(awaited);
    }

    /// A command that is not understood may touch these images, or any.
    pub fn opaque(&mut self, images: Option<Vec<ImageId>>) {
        self.opaque.push(images);
    }

    /// Number of the next submit call in this frame.
    pub fn next_submit(&mut self) -> u32 {
        self.next_submit += 1;
        self.next_submit - 1
    }

    /// Batches of the frame that a queue ran so far.
    pub fn batches(&self, queue: QueueKey) -> u32 {
        self.n_batches.get(&queue).copied().unwrap_or(0)
    }

    /// Makes the next step of the frame.
    pub fn step(&mut self, what: StepKind, name: Arc<str>, line: Line) -> Arc<StepRef> {
        let index = self.next_step;
        self.next_step += 1;
        Arc::new(StepRef { frame: self.index, index, what, name, line })
    }

    /// Number of the next pass in this frame.
    pub fn next_pass(&mut self) -> u32 {
        self.next_pass += 1;
        self.next_pass - 1
    }

    /// Which occurrence of a variant in this frame comes next.
    pub fn ordinal(&mut self, variant: u64) -> u32 {
        let next = self.ordinals.entry(variant).or_insert(0);
        *next += 1;
        *next - 1
    }

    /// Adds a step to the frame.
    pub fn push(&mut self, step: Step) {
        if let Step::Submit { facts, .. } = &step {
            *self.n_batches.entry(facts.queue).or_insert(0) += 1;
        }
        self.steps.push(step);
    }

    /// Frames are missing from here on, this one among them: what it held so far is dropped.
    pub fn skip(&mut self, frames: u64) {
        self.index += frames;
        self.is_cut = false;
        self.drop_held();
    }

    fn drop_held(&mut self) {
        self.steps.clear();
        self.ran.clear();
        self.counts.clear();
        self.time_ns = None;
        self.awaited.clear();
        self.begin();
        self.made = 0;
        self.ordinals.clear();
        self.first_submit = None;
    }

    /// Number of steps that the frame has so far, and of what else it gathers.
    pub fn held(&self) -> usize {
        self.steps.len() + self.ran.len() + self.opaque.len() + self.submits.len()
    }

    /// Says whether nothing ends the frame: the program presents nothing, and what it submits does
    /// not repeat. Only of a live program, whose memory is not to fill up.
    pub fn is_endless(&self) -> bool {
        (self.held() > MAX_STEPS || self.ran_bytes > MAX_BYTES) && !self.settings.markers_only
    }

    /// Drops what the frame held so far: the rest of it, should it end, is not judged as a steady
    /// one.
    pub fn cut(&mut self) {
        self.is_cut = true;
        self.n_dropped += self.steps.len() as u64;
        self.drop_held();
        self.opaque.clear();
        self.object_lines.clear();
        self.submits.clear();
    }

    /// Steps that a frame has at most, and how many were dropped as it had more.
    pub fn limit(&self) -> (usize, u64) {
        (MAX_STEPS, self.n_dropped)
    }

    /// Says whether a frame was steady; one that is too long ago, or not over, was not.
    pub fn was_steady(&self, frame: u64) -> bool {
        self.remembered.iter().rev().any(|(index, steady)| *index == frame && *steady)
    }

    /// A `frame` line, or the live call that it stands for. In a listing with such lines each of
    /// them ends a frame, whatever it says ended it in the program that was recorded.
    pub fn line_ends(&mut self, by: FrameBoundary) -> bool {
        if !self.settings.markers_only {
            return self.ends(by);
        }
        self.mode = by;
        true
    }

    /// Says whether a boundary of this kind ends the frame, and lets it decide from now on if it
    /// is the strongest kind seen.
    pub fn ends(&mut self, by: FrameBoundary) -> bool {
        if self.settings.markers_only {
            return by == FrameBoundary::Marker;
        }
        if strength(by) >= strength(self.mode) {
            self.mode = by;
        }
        self.mode == by
    }

    /// Says whether a present of this swapchain ends the frame: the first one presented does.
    pub fn present_ends(&mut self, swapchain: SwapchainKey) -> bool {
        *self.primary.get_or_insert(swapchain) == swapchain && self.ends(FrameBoundary::Present)
    }

    /// A swapchain was destroyed.
    pub fn swapchain_gone(&mut self, swapchain: SwapchainKey) {
        if self.primary == Some(swapchain) {
            self.primary = None;
        }
    }

    /// Says whether the structure of submissions may end frames.
    pub fn asks_for_structure(&self, swapchains: bool) -> bool {
        !self.settings.markers_only && self.mode == FrameBoundary::Submits && !swapchains
    }

    /// A submission with passes comes. Without markers and presents, a frame ends before the
    /// submission whose structure is that of the frame's first.
    ///
    /// The first frame of a program often begins with a submission that never comes again: once
    /// many went by, a frame also ends where what follows was seen to repeat.
    pub fn submit_ends(&mut self, structure: u64, swapchains: bool) -> bool {
        if !self.asks_for_structure(swapchains) {
            return false;
        }
        let repeats = self.first_submit == Some(structure);
        self.first_submit.get_or_insert(structure);
        self.submits.push(structure);
        let many = self.submits.len() >= MANY_SUBMITS && self.submits.len() < MAX_SUBMITS;
        repeats || (many && ends_with_a_period(&self.submits))
    }

    /// The program is over: says whether what was begun is a whole frame by its structure.
    pub fn last_is_whole(&self) -> bool {
        self.mode == FrameBoundary::Submits
            && self.first_submit.is_some()
            && (self.settings.steady_frames == 1 || self.first_submit == self.last_first_submit)
    }

    /// Begins to count anew.
    fn begin(&mut self) {
        (self.next_step, self.next_pass, self.next_submit) = (0, 0, 0);
        self.ran_bytes = 0;
        self.n_batches.clear();
    }

    /// Ends the frame.
    pub fn end(&mut self, by: FrameBoundary, variants: &mut FxHashMap<u64, VariantCount>) -> Frame {
        let steps = std::mem::take(&mut self.steps);
        let index = self.index;
        let keys: FxHashSet<u64> = steps
            .iter()
            .filter_map(|step| match step {
                Step::Pass(pass) => Some(pass.key),
                _ => None,
            })
            .collect();
        let is_whole = !std::mem::take(&mut self.is_cut);
        let steady = is_whole && (self.settings.steady_frames == 1 || self.is_steady(&keys));
        let is_judged = self.settings.frames.contains(index);
        for (variant, count) in self.ordinals.drain().filter(|_| is_judged) {
            let line = variants
                .entry(variant)
                .or_insert(VariantCount { first: index, ..VariantCount::default() });
            line.frames += 1;
            line.steady += u64::from(steady);
            if steady {
                line.first_steady.get_or_insert(index);
            }
            line.last = index;
            line.per_frame = count;
        }
        let [before, _] = std::mem::take(&mut self.keys_before);
        self.keys_before = [keys, before];
        self.made_before = [Some(self.made), self.made_before[0]];
        self.made = 0;
        self.last_first_submit = self.first_submit.take();
        self.submits.clear();
        self.remembered.push_back((index, steady));
        if self.remembered.len() > REMEMBERED {
            self.remembered.pop_front();
        }
        self.seen += 1;
        self.judged += u64::from(is_judged);
        self.steady += u64::from(is_judged && steady);
        self.index += 1;
        self.begin();
        self.first_done = true;
        let ran = std::mem::take(&mut self.ran);
        let awaited = std::mem::take(&mut self.awaited);
        let opaque = std::mem::take(&mut self.opaque);
        let time_ns = self.time_ns.take();
        let mut counts: Vec<_> = self.counts.drain().collect();
        counts.sort_unstable();
        let (made, destroyed) = (by_kind(&counts, true), by_kind(&counts, false));
        let kept = self.kept(counts);
        let (kept_making, kept_destroying) = (by_kind(&kept, true), by_kind(&kept, false));
        Frame {
            index,
            by,
            steady,
            in_order: steps.is_sorted_by_key(Step::index),
            steps,
            ran,
            time_ns,
            awaited,
            opaque,
            made,
            destroyed,
            object_lines: std::mem::take(&mut self.object_lines),
            kept_making,
            kept_destroying,
            forgotten: FxHashMap::default(),
        }
    }

    /// What this frame and each of those before it that a verdict takes made and destroyed.
    fn kept(&mut self, counts: ObjectCounts) -> ObjectCounts {
        self.counts_before.push_back(counts);
        let frames = self.settings.steady_frames.max(1) as usize;
        if self.counts_before.len() > frames {
            self.counts_before.pop_front();
        }
        if self.counts_before.len() < frames {
            return Vec::new();
        }
        let least = |key: &(Kind, bool)| {
            let in_frame = |counts: &ObjectCounts| {
                counts.iter().find(|(other, _)| other == key).map(|(_, count)| *count)
            };
            self.counts_before.iter().map(in_frame).try_fold(u32::MAX, |n, c| Some(n.min(c?)))
        };
        let now = self.counts_before.back().into_iter().flatten();
        now.filter_map(|(key, _)| Some((*key, least(key)?))).collect()
    }

    /// A frame is steady when no attachment image, render pass or swapchain was made in it
    /// (unless the frames before it did the same) and at least three quarters of its pass keys
    /// occurred in the two frames before.
    fn is_steady(&self, keys: &FxHashSet<u64>) -> bool {
        if !self.first_done {
            return false;
        }
        let same = self.made_before.iter().all(|made| *made == Some(self.made));
        if self.made != 0 && !same {
            return false;
        }
        let [a, b] = &self.keys_before;
        let known = keys.iter().filter(|key| a.contains(key) || b.contains(key)).count();
        known * 4 >= keys.len() * 3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames of a program with these submissions, by the numbers of their submissions.
    fn frames_of(submits: &[u64]) -> Vec<usize> {
        let mut frames = Frames::new(Settings::default());
        let (mut lengths, mut length) = (Vec::new(), 0);
        for submit in submits {
            if frames.submit_ends(*submit, false) {
                frames.end(FrameBoundary::Submits, &mut FxHashMap::default());
                frames.submit_ends(*submit, false);
                lengths.push(length);
                length = 0;
            }
            length += 1;
        }
        lengths
    }

    #[test]
    fn a_frame_ends_where_its_first_submission_comes_again() {
        assert_eq!(frames_of(&[1, 2, 2, 3, 1, 2, 2, 3, 1]), [4, 4]);
    }

    #[test]
    fn a_first_submission_that_never_comes_again_does_not_hold_the_frames_up() {
        let mut submits = vec![9];
        submits.extend([1, 2, 3].repeat(10));
        let frames = frames_of(&submits);
        assert!(frames.len() >= 4, "{frames:?}");
        assert!(frames[1..].iter().all(|length| *length == 3), "{frames:?}");
    }
}
