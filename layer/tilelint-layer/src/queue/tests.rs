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

/// Whether the queue takes a call.
fn takes(queue: &Queue, call: Call) -> bool {
    queue.push(Event::Entry(Entry::new(DEVICE, call)), true).0 != Ticket::NONE.0
}

#[test]
fn objects_count_with_what_they_hold() {
    let queue = Queue::new(false);
    let frames = Limit { events: QUEUE_LIMIT, bytes: BYTES_LIMIT * FRAMES_FACTOR };
    assert!(takes(&queue, shader(frames.bytes - (1 << 10))));
    assert!(takes(&queue, reset()));
    assert!(takes(&queue, shader(1 << 10)), "it is an object");
    assert!(!takes(&queue, reset()), "it is part of a frame");
    assert!(takes(&queue, shader(1 << 10)), "it is an object");
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
