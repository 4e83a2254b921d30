extension Observable {
    /// Listens to a source while subscriptions take tables in slices.
    @usableFromInline
    final func listenInSlices<Input>(
        to source: Observable<Input>, isSideInput: Bool, wantsReplay: Bool, receive: @escaping (Input) -> Void,
        end: ((End) -> Void)?, in graph: Graph
    ) -> Link<Input> {
        func link(_ receive: @escaping (Input) -> Void) -> Link<Input> {
            let link = Link(from: source, to: self, receive: receive, end: end)
            link.isSideInput = isSideInput
            link.wantsReplay = wantsReplay
            sources.append(link)
            return link
        }
        graph.finishForOthers(source)
        if let build = graph.building, wantsReplay, takesSlices, let slices = source.slices(receive) {
            let link = link(slices.receive)
            link.wantsReplay = false
            source.add(link, in: graph)
            graph.noteUnfinished(self, build)
            build.add { [weak link] in link?.isLive == true ? slices.step() : true }
            slices.begin()
            return link
        }
        guard graph.building != nil, source.takesSlices, !takesSlices,
            !source.isActive || graph.unfinished(source) != nil
        else {
            let link = link(receive)
            source.add(link, in: graph)
            graph.noteListening(self, to: source)
            return link
        }
        // The listener would take the part of an unfinished source for the whole.
        let gate = Box<(isOpen: Bool, hasMissed: Bool)>((false, false))
        let gated = link { value in if gate.value.isOpen { receive(value) } else { gate.value.hasMissed = true } }
        source.add(gated, in: graph)
        func open() {
            gate.value.isOpen = true
            if gate.value.hasMissed, gated.isLive, source.isActive { source.replay(to: receive) }
        }
        if let build = graph.unfinished(source) {
            graph.noteListening(self, to: source)
            build.addGate {
                // The source may still settle in the turn of the last slices.
                let joint = Joint(open)
                joint.height = source.height + 1
                graph.schedule(joint)
            }
        } else {
            open()
        }
        return gated
    }
}

/// The way of the rows of a source to one listener, a slice at a time.
@usableFromInline
package struct RowSlices<Value> {
    /// Takes what the source delivers meanwhile.
    @usableFromInline let receive: (Value) -> Void
    /// Delivers no rows, so that the listener has a value.
    @usableFromInline let begin: () -> Void
    /// Delivers the next rows. Returns true if they were the last.
    @usableFromInline let step: RowBuild.Step

    @usableFromInline
    init(receive: @escaping (Value) -> Void, begin: @escaping () -> Void, step: @escaping RowBuild.Step) {
        (self.receive, self.begin, self.step) = (receive, begin, step)
    }
}
