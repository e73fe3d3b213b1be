use super::*;
use tilelint::call::{Object, ShaderInfo, ShaderKey};

const DEVICE: DeviceKey = DeviceKey(1);

fn shader(bytes: usize) -> Call {
    let info = ShaderInfo {
        stage: vk::ShaderStageFlags::FRAGMENT,
        entry: "main".into(),
        file: "".into(),
        code: Some(vec![7; bytes / size_of::<u32>()].into()),
    };
    Call::Shader(ShaderKey(1), Box::new(info))
}

fn reset() -> Call {
    Call::Reset(CommandsKey(1))
}

/// A queue with room for a megabyte.
fn queue() -> Queue {
    let limit = Limit { events: QUEUE_LIMIT, bytes: 1 << 20 };
    Queue { limit, ..Queue::new(false) }
}

/// Whether the queue takes a call.
fn takes(queue: &Queue, call: Call) -> bool {
    queue.push(Event::Entry(Entry::new(DEVICE, call)), true).0 != Ticket::NONE.0
}

#[test]
fn objects_count_with_what_they_hold() {
    let queue = queue();
    let room = queue.limit.bytes * FRAMES_FACTOR;
    assert!(takes(&queue, shader(room - (1 << 10))));
    assert!(takes(&queue, reset()));
    assert!(takes(&queue, shader(1 << 10)), "it is an object");
    assert!(!takes(&queue, reset()), "it is part of a frame");
    assert!(takes(&queue, shader(1 << 10)), "it is an object");
}

#[test]
fn a_device_with_too_many_objects_is_not_linted_any_more() {
    let queue = queue();
    let part = queue.limit.bytes * FRAMES_FACTOR;
    for _ in 0..OVERRUN_FACTOR / FRAMES_FACTOR {
        assert!(takes(&queue, shader(part)));
    }
    // Only the first of them fills the queue for frames; these are objects.
    assert!(!takes(&queue, reset()));
    assert!(!takes(&queue, shader(4)));
    assert!(!takes(&queue, shader(4)), "nothing is followed any more");
    let state = queue.state.lock();
    let n_silenced = state
        .events
        .iter()
        .filter(|waiting| matches!(waiting.event, Event::Silenced(DEVICE, Silence::Overrun)));
    assert_eq!(n_silenced.count(), 1);
}

#[test]
fn what_a_burst_needed_is_given_back() {
    let queue = Queue::new(false);
    let object = Object { kind: Kind::Buffer, key: 1 };
    for _ in 0..4 * ROOM_KEPT {
        assert!(takes(&queue, Call::Destroy(object)));
    }
    assert!(queue.state.lock().events.capacity() >= 4 * ROOM_KEPT);
    let mut n_taken = 0;
    while n_taken < 4 * ROOM_KEPT {
        let mut taken = VecDeque::new();
        assert!(queue.take(&mut taken));
        n_taken += taken.len();
    }
    assert!(queue.state.lock().events.capacity() <= ROOM_KEPT);
    assert!(takes(&queue, reset()));
}

#[test]
fn what_keeps_a_gap_open_wakes_the_analysis() {
    let queue = queue();
    assert!(takes(&queue, shader(queue.limit.bytes * FRAMES_FACTOR)));
    assert!(!takes(&queue, reset()));
    // The analysis has taken everything and sleeps.
    let mut taken = VecDeque::new();
    assert!(queue.take(&mut taken));
    let mut state = queue.state.lock();
    state.take(&mut VecDeque::new());
    assert!(state.events.is_empty() && state.bytes == 0);
    drop(state);
    assert!(takes(&queue, shader(queue.limit.bytes / 6)));
    assert!(!takes(&queue, reset()), "there is no room yet");
    let state = queue.state.lock();
    assert!(state.gap.is_some() && queue.is_long(&state));
}
