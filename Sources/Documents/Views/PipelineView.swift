import JSON
import StateModel
import Streams

/// A view that is a pipeline, compiled.
struct PipelineView: Sendable {
    let pipeline: ViewPipeline
    /// The views of the same feature that feed it, each with its parameters.
    let own: [(label: String, parameters: JSON)]
    /// The views of other features that feed it and have rules, with the claims that these read.
    let ruled: [(name: String, claims: ClaimSet)]
    /// False if a view of another feature that feeds it derives from what is in memory only.
    let isKept: Bool
    /// True if such a view reads the time.
    let readsTime: Bool
    /// True if such a view shows private members.
    let showsPrivate: Bool
    /// The private places that are null in what such views read.
    let hiddenPlaces: Set<String>

    /// True if it remembers.
    var remembers: Bool { pipeline.program.remembers }
}
