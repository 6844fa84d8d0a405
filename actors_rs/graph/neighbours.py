"""What other libraries call what ours does: RxPY, Reactor, Akka Streams, aiostream, itertools.

Each row has their names, without regard to case and underscores, and what to write here.
"""

from __future__ import annotations

from actors_rs.unknown_names import table

__all__ = ["FOR_FLOWS", "FOR_GRAPHS", "FOR_RUNS", "FOR_SINKS"]

FOR_FLOWS = table(
    # Where streams come from.
    (
        "from_ from_list from_iter from_seq from_array from_generator from_iterator "
        "from_collection from_stream create from_async_iterable",
        "Source.from_iterable(iterable), or from_iterable(function) to begin anew in each run",
    ),
    ("just single_value return_value return_ value pure case", "Source.of(value)"),
    ("throw error raise_", "Source.failed(error)"),
    ("interval periodic spaceout", "Source.tick(seconds)"),
    ("cycle repeat_value", "Source.repeat(value), or from_iterable(lambda: itertools.cycle(them))"),
    ("generate unfold_async generate_with_relative_time", "Source.unfold(state, f)"),
    ("using resource", "Source.unfold_resource(open, read, close)"),
    (
        "from_callable call action to_async start start_async lazily if_then",
        "Source.defer(function)",
    ),
    ("future from_task from_awaitable from_coroutine completion_stage", "Source.from_future(f)"),
    ("read_csv from_csv", "Source.csv(path)"),
    ("read_lines from_file text_file read_text", "Source.lines(path)"),
    ("read_jsonl ndjson", "Source.jsonl(path)"),
    ("read_json from_json", "Source.json(path)"),
    ("read_bytes from_bytes binary", "Source.bytes(path)"),
    ("read_parquet from_parquet", "Source.parquet(path)"),
    ("read_sql from_sql sql read_sqlite", "Source.sqlite(path, query)"),
    ("glob ls list_files", "Source.files(pattern)"),
    ("actor_ref subject hot cold push channel", "Source.queue(capacity)"),
    ("from_observable from_flux", "Source.from_publisher(publisher)"),
    ("spark from_spark from_dataframe", "SparkSource.rows(df), from actors_rs.spark"),
    # Where they end.
    (
        "for_each each for_each_async subscribe_with run_foreach do_for_each print",
        "source.run(Sink.for_each(f))",
    ),
    (
        "collect to_list list collect_list to_array run_collect to_iterable as_list to_marbles "
        "to_future",
        "source.run(Sink.list())",
    ),
    ("to_set set", "set(source.run(Sink.list()))"),
    ("to_dict dict collect_map to_map", "dict(source.map(pair).run(Sink.list()))"),
    (
        "run_with run_sync block execute submit",
        "source.run(sink), or system.start(source.to(sink))",
    ),
    ("run_fold run_reduce", "source.run(Sink.fold(init, f))"),
    ("ignore ignore_elements drain consume run_ignore", "source.run(Sink.ignore())"),
    ("write_csv to_csv", "source.run(Sink.csv(path))"),
    ("to_jsonl write_jsonl write_json to_json", "source.run(Sink.jsonl(path))"),
    ("write_parquet to_parquet", "source.run(Sink.parquet(directory))"),
    ("to_sql write_sql", "source.run(Sink.sqlite(path, sql))"),
    (
        "subscribe to_publisher as_publisher run_with_publisher publish_to to_observable",
        "system.publisher(source), which has subscribe(subscriber)",
    ),
    ("to_mat via_mat map_materialized_value", "source.to(sink): a run's result is the sink's"),
    # One element after the other.
    ("select pluck pluck_attr cast apply transform smap", "map(f)"),
    ("where filter_not reject filterfalse compress of_type", "filter(predicate)"),
    ("collect_type map_partial filter_map compact choose collect_first", "map_not_none(f)"),
    (
        "select_many map_concat mapcat flatten chain chain_from_iterable flat_map_iterable "
        "merge_all concat_all flat_map_concat expand_all concat_iterable merge_map exclusive "
        "exhaust_map flat_map_merge flat_map_sequential for_in",
        "flat_map(f), with breadth=n for n streams at a time",
    ),
    ("flat_map_latest switch switch_latest map_latest switch_on_next", "switch_map(f)"),
    (
        "map_parallel parallel_map pmap map_async_unordered amap map_concurrent imap "
        "imap_unordered async_map flat_map_async select_async parallel parallelise parallelize "
        "gather map_async_partitioned starmap_async for_each_parallel",
        "map_async(f, parallelism=n), with ordered=False or key=f where that is wanted",
    ),
    (
        "map_in_processes process_map pool_map multiprocess map_interpreters",
        "map_processes(f, workers=n), whose calls run in processes, on all cores",
    ),
    (
        "tap do do_action peek do_on_next also_to_all inspect log debug",
        "also_to(Sink.for_each(f)), or wire_tap(Sink.for_each(f)), which never slows the stream",
    ),
    ("map_indexed enumerate zip_with_index index filter_indexed starmap_indexed", "with_index()"),
    ("flat_map_indexed switch_map_indexed take_while_indexed skip_while_indexed", "with_index()"),
    ("partition_indexed", "with_index(), then partition(n, f)"),
    ("accumulate scan_left running_fold cumsum scan_async", "scan(init, f)"),
    (
        "stateful_map_concat map_with_state stateful scan_with map_accumulate",
        "stateful_map(create, f)",
    ),
    ("fold fold_left aggregate fold_async", "reduce(init, f)"),
    ("max_by", "max(key=f)"),
    ("min_by", "min(key=f)"),
    ("mean avg", "average()"),
    ("length size", "count()"),
    ("any exists any_match", "some(predicate)"),
    ("every all_match for_all", "all(predicate)"),
    ("includes has has_element", "contains(value)"),
    ("find find_first head next head_option single single_or_default first_or_default", "first(p)"),
    ("single_or_default_async first_async find_index", "with_index(), then first(predicate)"),
    ("last_or_default tail_last last_option", "last(), after default_if_empty(value)"),
    ("nth at get_item element_at_or_default", "element_at(index)"),
    ("sequence_equal", "zip(other), then all(lambda pair: pair[0] == pair[1])"),
    # Parts of a stream.
    ("limit top take_n", "take(count)"),
    ("slice islice", "skip(start), then take(count)"),
    ("drop skip_n tail offset", "skip(count)"),
    ("drop_while skip_until until_first", "skip_while(predicate)"),
    ("take_until take_while_inclusive limit_while until", "take_while(predicate)"),
    (
        "take_last take_last_buffer take_right skip_last drop_right drop_last",
        "sliding(n), or reduce into a collections.deque(maxlen=n)",
    ),
    ("take_with_time take_for take_until_with_time take_last_with_time", "take_within(seconds)"),
    ("skip_with_time drop_within skip_until_with_time skip_last_with_time", "skip_within(seconds)"),
    ("unique deduplicate dedupe drop_duplicates drop_repeats distinct_by", "distinct(key=f)"),
    ("changes dedup_consecutive distinct_until", "distinct_until_changed(key=f)"),
    ("sort sorted order_by sort_by", "sort_within(count), or sorted(source.run(Sink.list()))"),
    (
        "grouped chunk chunks chunked batched buffer_count buffer_with_count group_in "
        "grouped_within "
        "window_with_count window_with_time buffer_with_time buffer_timeout buffer_when "
        "batch_within "
        "window_with_time_or_count buffer_with_time_or_count window grouped_weighted "
        "batch_weighted "
        "buffer_toggle window_toggle window_when group_adjacent_by",
        "batch(count, within=seconds)",
    ),
    ("rolling sliding_window windowed moving", "sliding(size, step)"),
    # Time and rates.
    ("throttle_with_timeout debounce_time throttle_with_mapper settle", "debounce(seconds)"),
    ("throttle_first throttle_last sample_time audit audit_time", "sample(interval)"),
    ("rate_limit limit_rate throttle_elements", "throttle(n, per=seconds)"),
    ("delay_subscription delay_elements delay_with_mapper delay_each sleep", "delay(seconds)"),
    ("timeout timeout_with_mapper", "idle_timeout(seconds), initial_timeout or completion_timeout"),
    ("timestamp time_interval timed elapsed", "map(lambda element: (time.monotonic(), element))"),
    ("on_backpressure_buffer buffer_backpressure prefetch", "buffer(n, overflow)"),
    ("on_backpressure_drop drop_newest", "buffer(n, 'drop_newest')"),
    ("on_backpressure_latest conflate_with_seed conflate_with", "conflate(seed, f)"),
    ("extrapolate", "expand(f)"),
    # Several streams.
    (
        "zip_with zip_with_iterable zip_with_list zip_all zip_n zip_longest",
        "zip(other), then map(f)",
    ),
    ("with_latest_from latest combine_latest_with fork_join", "combine_latest(other)"),
    ("union merge_with merge_many", "merge(other)"),
    ("concat_with concat_with_iterable and_then extend concat_lazy", "append(other)"),
    ("or_else switch_if_empty on_empty", "if_empty(other)"),
    ("race first_of ambiguous first_with_signal any_of", "amb(other)"),
    (
        "product group_join cross combinations combinations_with_replacement permutations",
        "flat_map(f)",
    ),
    (
        "tee duplicate fan_out copies share publish ref_count multicast publish_value replay "
        "broadcast_hub cache auto_connect",
        "broadcast(n), or source.hub(system) for subscribers that come and go",
    ),
    ("split split_when split_after partition_by route switch_case", "partition(n, f)"),
    ("group_by_key group_by_until key_by", "group_by(key, max_groups=n)"),
    ("merge_substreams merge_back concat_substreams", "flat_map(lambda group: group, breadth=n)"),
    ("round_robin load_balance distribute", "balance(n)"),
    ("intersperse", "flat_map(lambda element: (separator, element)), then skip(1)"),
    # Failures and ends.
    (
        "on_error_resume_next catch_with_iterable on_error_resume catch_error on_error "
        "catch_exception resume_with "
        "recover_with_retries",
        "recover_with(stream), or on_failure('resume') to skip an element",
    ),
    ("on_error_return on_error_complete catch_and_return", "recover(f)"),
    ("on_error_map map_exception", "map_error(f)"),
    ("fallback with_fallback", "map_async(f, fallback=g), or recover(f) for the end of a stream"),
    (
        "on_error_continue supervision with_supervision skip_errors ignore_errors",
        "on_failure('resume')",
    ),
    ("retry_when retry_backoff retries", "retry(backoff) after map_async, or restart(backoff)"),
    ("restart_source with_backoff restart_with_backoff", "restart(backoff)"),
    (
        "finally_action finally_ do_finally do_on_terminate watch_termination on_complete "
        "on_finish "
        "do_on_complete on_close",
        "on_termination(f)",
    ),
    ("repeat_when do_while while_do loop", "Source.repeat(value), then flat_map(f)"),
    ("materialize dematerialize notifications", "on_termination(f), recover(f) or monitor(f)"),
    # How it runs.
    ("observe_on subscribe_on publish_on run_on async_", "async_boundary()"),
    ("pipe compose through let transform_with", "via(flow), or pipe(source, flow, flow)"),
    ("name with_name label set_name", "named(name)"),
    ("with_dispatcher add_attributes attributes", "with_attributes(dispatcher='pinned')"),
    (
        "resume with_ledger ledger checkpoint",
        "SparkSource.arrow(df).resume(ledger), directly after SparkSource: only that has resume",
    ),
    ("acknowledged acknowledge ack with_ack", "acknowledged(flow, ack), from actors_rs.delivery"),
    ("cancel stop dispose take_until_cancelled", "kill_switch(switch), or run.cancel()"),
    (
        "close aclose",
        "open(system=system), and close what it returns: that is a running stream, and a Source is "
        "only its description",
    ),
    ("as_observable hide preserve", "the flow itself: it is immutable"),
)

FOR_SINKS = table(
    ("each print call do apply for_each_async println stdout callback", "Sink.for_each(f)"),
    ("to_list collect seq array as_list", "Sink.list()"),
    ("head single any head_option find", "Sink.first()"),
    ("tail last_option take_last", "Sink.last(), or source.sliding(n) into it"),
    ("reduce fold_left aggregate accumulate max min mean average set dict", "Sink.fold(init, f)"),
    ("length size", "Sink.count()"),
    ("total add", "Sink.sum()"),
    ("null devnull cancelled drain void none nothing black_hole cancel", "Sink.ignore()"),
    ("broadcast tee combine all many multi", "Sink.fan(sink, sink)"),
    ("json ndjson write_json write_jsonl", "Sink.jsonl(path)"),
    ("file to_file text write_lines", "Sink.lines(path)"),
    ("write_csv to_csv", "Sink.csv(path)"),
    ("sql database write_sql to_sql jdbc", "Sink.sqlite(path, sql)"),
    ("write_parquet to_parquet", "Sink.parquet(directory)"),
    ("spark table", "SparkSink.table(name), from actors_rs.spark"),
    ("map pre_map via prepend", "contramap(f), or after(flow)"),
    ("run start", "source.run(sink), or system.start(source.to(sink))"),
    (
        "subscriber as_subscriber subscribe from_subscriber on_next on_complete on_error",
        "system.subscriber(sink)",
    ),
    ("channel actor_ref as_publisher publisher", "system.publisher(source)"),
    ("with_name name label", "named(name)"),
    ("for_each_parallel map_async", "source.map_async(f, parallelism=n) before it"),
)

FOR_GRAPHS = table(
    ("start start_with execute submit materialize spawn launch", "system.start(graph)"),
    ("run_with run_sync block", "run()"),
    ("plot show render visualize to_dot mermaid svg", "draw('mermaid'), 'dot' or 'svg'"),
    ("result wait get join", "run(), or system.start(graph).result()"),
    ("cancel stop shutdown", "cancel() of the run that system.start(graph) gives"),
    ("add merge combine", "Graph(graph, graph)"),
    ("describe outline", "print(graph), or draw()"),
    ("islands plan actors", "explain()"),
    ("map filter via to", "the operators before .to(sink): a graph is closed"),
    (
        "named name with_name label set_name",
        "system.start(graph, name='orders') or run(name='orders'): a run has a name, and a graph "
        "has none; flow.named(name) names a stage",
    ),
    (
        "with_attributes window dispatcher attributes",
        "flow.with_attributes(window=8).to(sink) for a stage, or ActorSystem(window=8) for all",
    ),
    ("timeout", "watched(stall_after=seconds), or result(timeout) of the run"),
)

FOR_RUNS = table(
    ("get value outcome await_result results", "result(timeout)"),
    ("join wait_for await_termination block await_ wait_until_done", "wait(timeout)"),
    ("stop kill terminate dispose shutdown close interrupt unsubscribe", "cancel(), or drain()"),
    ("is_cancelled is_running running is_alive status is_done", "state, or done()"),
    ("exception error failure", "result(), which raises it"),
    ("fail throw", "abort(error)"),
    ("add_done_callback on_complete then when_complete when_done callback", "when_ended(action)"),
    ("stats metrics progress info statistics stages figures", "snapshot()"),
    ("put offer send push", "queue().put(element), of a Source.queue(capacity)"),
    ("plot show render picture visualize", "draw()"),
)
