//! Render passes of the newer call, whose create-info has a place for the driver's answer.

use super::pass::suspect;
use crate::ffi::hooks::{after_call, timer};
use crate::ffi::read::View;
use crate::ffi::table::DeviceTable;
use crate::ffi::{guard, registry};
use ash::vk;
use std::ffi::c_void;

/// A copy of a create-info that asks which subpasses the driver merges. Its arrays are vectors, so
/// that what it points to stays where it is.
struct Question<'a> {
    info: Vec<vk::RenderPassCreateInfo2<'a>>,
    _subpasses: Vec<vk::SubpassDescription2<'a>>,
    _nodes: Vec<vk::RenderPassSubpassFeedbackCreateInfoEXT<'a>>,
    _answers: Vec<vk::RenderPassSubpassFeedbackInfoEXT>,
    _node: Vec<vk::RenderPassCreationFeedbackCreateInfoEXT<'a>>,
    _answer: Vec<vk::RenderPassCreationFeedbackInfoEXT>,
}

impl<'a> Question<'a> {
    /// Copies a create-info. What the application asks itself is not asked twice.
    fn new(info: View<'a, vk::RenderPassCreateInfo2<'a>>) -> Question<'a> {
        let subpasses = info.subpasses();
        // A driver that writes nothing leaves a status that there is not.
        let nothing = vk::RenderPassSubpassFeedbackInfoEXT {
            subpass_merge_status: vk::SubpassMergeStatusEXT::from_raw(-1),
            ..Default::default()
        };
        let mut answers = vec![nothing; subpasses.as_slice().len()];
        let first_answer = answers.as_mut_ptr();
        let mut nodes = Vec::with_capacity(answers.len());
        let mut copies = subpasses.as_slice().to_vec();
        for (index, (copy, subpass)) in copies.iter_mut().zip(subpasses.iter()).enumerate() {
            nodes.push(vk::RenderPassSubpassFeedbackCreateInfoEXT {
                p_next: copy.p_next,
                p_subpass_feedback: first_answer.wrapping_add(index),
                ..Default::default()
            });
            if subpass.next::<vk::RenderPassSubpassFeedbackCreateInfoEXT<'_>>().is_none() {
                copy.p_next = nodes.as_ptr().wrapping_add(index).cast::<c_void>();
            }
        }
        let mut copy = *info.get();
        copy.p_subpasses = copies.as_ptr();
        let mut answer = vec![vk::RenderPassCreationFeedbackInfoEXT::default()];
        let node = vec![vk::RenderPassCreationFeedbackCreateInfoEXT {
            p_next: copy.p_next,
            p_render_pass_feedback: answer.as_mut_ptr(),
            ..Default::default()
        }];
        if info.next::<vk::RenderPassCreationFeedbackCreateInfoEXT<'_>>().is_none() {
            copy.p_next = node.as_ptr().cast::<c_void>();
        }
        Question {
            info: vec![copy],
            _subpasses: copies,
            _nodes: nodes,
            _answers: answers,
            _node: node,
            _answer: answer,
        }
    }
}

/// Makes a render pass, with a question where the device answers and the user wants it. `next`
/// makes it, unless the next layer cannot.
///
/// # Safety
/// C2, C3, C7.
unsafe fn create(
    device: vk::Device,
    create_info: *const vk::RenderPassCreateInfo2<'_>,
    render_pass: *mut vk::RenderPass,
    next: impl FnOnce(&DeviceTable, *const vk::RenderPassCreateInfo2<'_>) -> Option<vk::Result>,
) -> vk::Result {
    // SAFETY: C3 - the application passes a live handle.
    let entry = unsafe { registry::device_of(device) };
    let Some(entry) = entry else { return vk::Result::ERROR_EXTENSION_NOT_PRESENT };
    let question = guard::run(&entry, "create_render_pass2", || {
        // SAFETY: C2 - the info is valid.
        let info = unsafe { View::new(create_info) };
        let asked = entry.capture.asked();
        info.filter(|_| asked.on_its_own && asked.merging).map(Question::new)
    });
    let question = question.flatten();
    let info = question.as_ref().map_or(create_info, |question| question.info.as_ptr());
    let result = next(&entry.table, info).unwrap_or(vk::Result::ERROR_EXTENSION_NOT_PRESENT);
    if result.as_raw() >= 0 {
        guard::run(&entry, "create_render_pass2", || {
            // SAFETY: C7 - the call succeeded.
            let handle = unsafe { *render_pass };
            // SAFETY: C2, C8 - the info is valid, and so is a copy while the question lives.
            if let Some(info) = unsafe { View::new(info) } {
                suspect(&entry, handle, &entry.capture.render_pass_2(handle, info));
            }
        });
    }
    after_call(&entry);
    drop(question);
    result
}

/// Declares the two names of the call.
macro_rules! create_hooks {
    ($($field:ident)+) => {$(
        #[doc = concat!("Calls `", stringify!($field), "` of the next layer and looks at it.")]
        ///
        /// # Safety
        /// C2, C3, C7.
        pub(in crate::ffi) unsafe extern "system" fn $field(
            device: vk::Device,
            create_info: *const vk::RenderPassCreateInfo2<'_>,
            allocator: *const vk::AllocationCallbacks<'_>,
            render_pass: *mut vk::RenderPass,
        ) -> vk::Result {
            let next = |table: &DeviceTable, info: *const vk::RenderPassCreateInfo2<'_>| {
                let next = table.$field?;
                let timer = timer!($field);
                // SAFETY: C5 - the arguments go down as they came, the info perhaps as a copy.
                let result = unsafe { next(device, info, allocator, render_pass) };
                timer.stop();
                Some(result)
            };
            // SAFETY: C2, C3, C7 - the arguments are the application's own.
            unsafe { create(device, create_info, render_pass, next) }
        }
    )+};
}

create_hooks! { create_render_pass2 create_render_pass2_khr }
