import ScaleModel
import Testing

struct ScaleModelTests {
    @Test func `the load of the plan needs some seventy nodes and mirrors in each region`() {
        let size = ClusterSize(ClusterLoad())
        #expect((50...100).contains(size.nodes))
        #expect(size.bound == .streams)
        #expect(size.appendedBytes == 12.5e6)
        #expect((10...200).contains(size.batch))
        #expect((0.7...0.9).contains(size.directBytes / 1e9))
        #expect(size.mirrors >= 3)
        #expect(size.copyBytes == 4_096e6)
    }

    @Test func `more load never needs fewer nodes, and a small one needs three`() {
        var load = ClusterLoad()
        (load.spaces, load.commits, load.streams, load.regions) = (1_000, 10, 1_000, 1)
        #expect(ClusterSize(load).nodes == 3)
        #expect(ClusterSize(load).batch == 1)
        #expect(ClusterSize(load).mirrors == 0)
        var nodes = 0.0
        for factor in 0..<12 {
            load.streams = Double(1_000 << (factor * 1))
            load.commits = Double(10 << factor)
            let size = ClusterSize(load)
            #expect(size.nodes >= nodes)
            nodes = size.nodes
        }
    }

    @Test func `nodes that follow all lanes cannot carry more commits than one of them applies`() {
        var load = ClusterLoad()
        load.commits = 2_000_000
        #expect(ClusterSize(load).bound == .impossible)
        #expect(SizeReport.lines(load, ClusterSize(load)).contains { $0.hasSuffix("none suffice") })
        load.followed = 0.25
        #expect(ClusterSize(load).bound != .impossible)
    }

    @Test func `batches grow until the disks keep up`() {
        var load = ClusterLoad()
        var costs = MeasuredCosts()
        costs.appendsPerDisk = 100
        let slow = ClusterSize(load, costs)
        costs.appendsPerDisk = 10_000
        #expect(slow.batch > ClusterSize(load, costs).batch)
        #expect(slow.entries <= 100.001)
        load.lanes = 1
        #expect(ClusterSize(load, costs).laneEntries <= 1 / costs.appendLatency + 0.001)
    }
}
