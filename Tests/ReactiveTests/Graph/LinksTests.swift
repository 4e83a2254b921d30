import Testing

@testable import Reactive

struct LinksTests {
    /// Walks over the links; `meet` may change them meanwhile.
    private func meet(
        _ links: inout Links<AnyLink>, _ meet: (inout Links<AnyLink>, AnyLink) -> Void = { _, _ in }
    ) -> [ObjectIdentifier] {
        var met: [ObjectIdentifier] = []
        var walk = links.walk()
        while let link = links.next(of: &walk)?.takeUnretainedValue() {
            met.append(ObjectIdentifier(link))
            meet(&links, link)
        }
        if links.needsSweep { links.sweep() }
        return met
    }

    private func links(_ members: [AnyLink]) -> Links<AnyLink> {
        var links = Links<AnyLink>(isOfListeners: true)
        for member in members { links.append(member) }
        return links
    }

    private func end(_ member: AnyLink, in links: inout Links<AnyLink>) {
        member.isLive = false
        links.remove(member)
    }

    @Test func `a walk visits the links that existed at its beginning, in order: Law T6`() {
        let members = (0..<4).map { _ in AnyLink(listener: nil) }
        var links = links(members)
        let met = meet(&links) { links, _ in links.append(AnyLink(listener: nil)) }
        #expect(met == members.map(ObjectIdentifier.init))
        #expect(links.count == 8)
    }

    @Test func `a walk within a walk sweeps nothing from the outer one: Law T6`() {
        let members = (0..<6).map { _ in AnyLink(listener: nil) }
        var links = links(members)
        let met = meet(&links) { links, link in
            guard link === members[1] else { return }
            for place in [0, 1, 3] { end(members[place], in: &links) }
            let inner = meet(&links)
            #expect(inner == [members[2], members[4], members[5]].map(ObjectIdentifier.init))
            #expect(links.members.count == 6)
        }
        #expect(met == [0, 1, 2, 4, 5].map { ObjectIdentifier(members[$0]) })
        #expect(links.members.count == 3 && links.count == 3)
    }

    @Test(arguments: 0..<20)
    func `after any link leaves, the others keep their order and their indices: Laws O8, T8`(_ seed: UInt64) {
        var dice = Dice(seed: seed)
        var members = (0..<40).map { _ in AnyLink(listener: nil) }
        var links = links(members)
        while !members.isEmpty {
            end(members.remove(at: Int.random(in: 0..<members.count, using: &dice)), in: &links)
            if Bool.random(using: &dice), members.count % 3 == 0 {
                members.append(AnyLink(listener: nil))
                links.append(members[members.count - 1])
                end(members.removeFirst(), in: &links)
            }
            #expect(links.count == members.count)
            let met = meet(&links)
            #expect(met == members.map(ObjectIdentifier.init))
            for member in members { #expect(links.members.slot(Int(member.place))?.takeUnretainedValue() === member) }
        }
        #expect(links.members.count == 0)
    }
}
