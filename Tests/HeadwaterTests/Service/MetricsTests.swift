import Glibc
import JSON
import Testing

@Suite struct MetricsTests {
    @Test func `every metric of the contract is there, as Prometheus reads it`() throws {
        let server = try Service("--memory")
        try server.ask("POST", "/v1/spaces/a/user/logIn", #"{"name": "Ada"}"#)
        try server.ask("POST", "/v1/spaces/a/user/logIn", "{}")
        let answer = try server.ask("GET", "/metrics")
        #expect(answer["Content-Type"]?.hasPrefix("text/plain; version=0.0.4") == true)
        let text = answer.text
        for (name, kind) in [
            ("headwater_actions_total", "counter"), ("headwater_commits_total", "counter"),
            ("headwater_commit_seconds", "histogram"),
            ("headwater_journal_batch_commits", "histogram"), ("headwater_alarms_late_seconds", "gauge"),
            ("headwater_spaces_loaded", "gauge"),
            ("headwater_streams_active", "gauge"),
            ("headwater_polls_waiting", "gauge"), ("headwater_frames_sent_total", "counter"),
            ("headwater_frames_conflated_total", "counter"),
            ("headwater_resumes_total", "counter"), ("headwater_connections", "gauge"),
            ("headwater_http_requests_total", "counter"),
            ("headwater_http_request_duration_seconds", "histogram"), ("headwater_outgoing_requests_total", "counter"),
            ("process_cpu_seconds_total", "counter"), ("process_resident_memory_bytes", "gauge"),
            ("process_open_fds", "gauge"),
            ("process_start_time_seconds", "gauge"),
        ] {
            // Prometheus refuses a name that is described twice.
            #expect(
                text.split(separator: "# TYPE \(name) \(kind)\n", omittingEmptySubsequences: false).count == 2,
                "\(name)")
            #expect(text.split(separator: "# HELP \(name) ", omittingEmptySubsequences: false).count == 2, "\(name)")
        }
        #expect(text.contains(#"headwater_actions_total{feature="user",action="logIn",outcome="ok"} 1"#))
        #expect(
            text.contains(
                #"headwater_http_requests_total{route="/v1/spaces/{space}/{feature}/{action}",status="200"} 2"#))
        #expect(text.contains(#"headwater_resumes_total{outcome="current"} 0"#))
        #expect(try server.metric("headwater_commits_total") == 1)
        #expect(text.contains("headwater_commit_seconds_count 1\n"))
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            #expect(line.split(separator: " ").count == 2 && Double(line.split(separator: " ")[1]) != nil, "\(line)")
        }
    }

    @Test func `commits of actions and effects are counted, without those that changed nothing`() throws {
        let server = try Service("--memory", "--workshop-latency", "0")
        try server.ask("POST", "/v1/spaces/a/luthier/checkout")
        #expect(try server.eventually { try server.ask("GET", "/v1/spaces/a").json["version"] == 2 })
        try server.ask("POST", "/v1/spaces/a/cart/clear", nil, ["Idempotency-Key": "k"])
        #expect(try server.metric("headwater_commits_total") == 2)
    }

    // Law H10: an idle thread sleeps.
    @Test func `streams do not count as long requests, and an idle server does not wake`() throws {
        let server = try Service("--memory", "--threads", "2")
        let stream = try server.stream("/v1/spaces/a/user/title")
        _ = try stream.event()
        let count = try server.metric("headwater_http_request_duration_seconds_count")
        #expect(count == 0)
        // The heartbeats of another server measure the time.
        let clock = try Service.shared().stream("/v1/spaces/metrics/user/title")
        _ = try clock.event()
        let before = try switches(server.program.pid)
        for _ in 0..<2 { _ = try clock.block() }
        #expect(try switches(server.program.pid) - before <= 8)
    }

    /// Returns the number of context switches of a process.
    private func switches(_ pid: pid_t) throws -> Int {
        var sum = 0
        guard let tasks = opendir("/proc/\(pid)/task") else { throw Trouble("the process has gone") }
        defer { closedir(tasks) }
        while let entry = readdir(tasks) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard Int(name) != nil, let file = fopen("/proc/\(pid)/task/\(name)/status", "r") else { continue }
            defer { fclose(file) }
            var line = [CChar](repeating: 0, count: 256)
            while fgets(&line, 256, file) != nil {
                let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split
                {
                    $0 == "\t" || $0 == "\n"
                }
                if words.count == 2, words[0] == "voluntary_ctxt_switches:" { sum += Int(words[1]) ?? 0 }
            }
        }
        return sum
    }
}
