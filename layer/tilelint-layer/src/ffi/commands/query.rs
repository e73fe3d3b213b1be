//! Queries and timestamps.

use crate::ffi::hooks::cmd_hooks;
use ash::vk;
use tilelint::call::QueryVerb;

cmd_hooks! {
    [cmd_begin_query](
        command_buffer: vk::CommandBuffer,
        pool: vk::QueryPool,
        query: u32,
        flags: vk::QueryControlFlags
    ) (dev, recorder) {
        recorder.query(QueryVerb::Begin, pool, query, 1);
    }
    [cmd_begin_query_indexed_ext](
        command_buffer: vk::CommandBuffer,
        pool: vk::QueryPool,
        query: u32,
        flags: vk::QueryControlFlags,
        index: u32
    ) (dev, recorder) {
        recorder.query(QueryVerb::Begin, pool, query, 1);
    }
    [cmd_end_query](
        command_buffer: vk::CommandBuffer,
        pool: vk::QueryPool,
        query: u32
    ) (dev, recorder) {
        recorder.query(QueryVerb::End, pool, query, 1);
    }
    [cmd_end_query_indexed_ext](
        command_buffer: vk::CommandBuffer,
        pool: vk::QueryPool,
        query: u32,
        index: u32
    ) (dev, recorder) {
        recorder.query(QueryVerb::End, pool, query, 1);
    }
    [cmd_reset_query_pool](
        command_buffer: vk::CommandBuffer,
        pool: vk::QueryPool,
        first_query: u32,
        query_count: u32
    ) (dev, recorder) {
        recorder.query(QueryVerb::Reset, pool, first_query, query_count);
    }
    [cmd_copy_query_pool_results](
        command_buffer: vk::CommandBuffer,
        pool: vk::QueryPool,
        first_query: u32,
        query_count: u32,
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        stride: vk::DeviceSize,
        flags: vk::QueryResultFlags
    ) (dev, recorder) {
        recorder.query_copy(pool, first_query, query_count, buffer);
    }
    [cmd_write_timestamp](
        command_buffer: vk::CommandBuffer,
        stage: vk::PipelineStageFlags,
        pool: vk::QueryPool,
        query: u32
    ) (dev, recorder) {
        recorder.timestamp_1(stage, pool, query);
    }
    [cmd_write_timestamp2 cmd_write_timestamp2_khr](
        command_buffer: vk::CommandBuffer,
        stage: vk::PipelineStageFlags2,
        pool: vk::QueryPool,
        query: u32
    ) (dev, recorder) {
        recorder.timestamp(stage, pool, query, 2);
    }
}
