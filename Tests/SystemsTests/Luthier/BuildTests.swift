import StateStore
import Systems
import Testing

/// The configuration of a guitar: systems.md, 3.
struct BuildTests {
    @Test func `the initial guitar has the default parts`() throws {
        let shop = try Shop()
        #expect(
            shop.get("luthier.guitar")
                == #"{"shape":"casual","color":"natural","body":"mahogany","fretboard":"rosewood","description":"Natural Casual with Mahogany body and Rosewood fretboard","additionsPrice":0,"price":2000,"formattedPrice":"$2,000.00"}"#
        )
    }

    @Test func `selecting several parts in one action emits once`() throws {
        let shop = try Shop()
        let watch = shop.watch(["luthier.guitar"])
        shop.post("luthier/select", #"{"color": "sky", "body": "koa", "fretboard": "birdseyeMaple"}"#)
        #expect(watch.events.count == 2)
        #expect(
            watch.events[1].contains(
                #""description":"Sky Casual with Koa body and Birdseye Maple fretboard","additionsPrice":330,"price":2330"#
            ))
        shop.post("luthier/select", #"{"color": "sky"}"#)
        #expect(watch.events.count == 2)
        shop.post("luthier/clear")
        #expect(watch.events.count == 3 && watch.events[2].contains(#""price":2000"#))
    }

    @Test(arguments: [
        (#"{"shape": "longV"}"#, "Natural Long V with", 2_075),
        (#"{"shape": "sharpV"}"#, "Natural Sharp V with", 2_100),
        (#"{"shape": "chunky"}"#, "Natural Chunky with", 2_000), (#"{"color": "earth"}"#, "Earth Casual", 2_050),
        (#"{"color": "dusk"}"#, "Dusk Casual", 2_000), (#"{"body": "swampAsh"}"#, "with Swamp Ash body", 2_080),
        (#"{"body": "blackLimba"}"#, "with Black Limba body", 2_150),
        (#"{"fretboard": "ebony"}"#, "and Ebony fretboard", 2_100),
        (#"{"fretboard": "blackLimba"}"#, "and Black Limba fretboard", 2_120),
    ])
    func `each part has its name and its price`(_ input: String, _ words: String, _ price: Int) throws {
        let shop = try Shop()
        shop.post("luthier/select", input)
        #expect(shop.get("luthier.guitar").contains(words))
        #expect(shop.get("luthier.guitar").contains("\"price\":\(price),"))
    }

    @Test func `an empty or unknown selection is refused`() throws {
        let shop = try Shop()
        #expect(
            shop.post("luthier/select", "{}").summary
                == "invalid -: select at least one part: shape, color, body or fretboard")
        #expect(
            shop.post("luthier/select", #"{"shape": "square"}"#).summary
                == "invalid /shape: the value must be one of casual, chunky, longV, sharpV")
        #expect(shop.get("luthier.guitar").contains(#""price":2000"#))
    }

    @Test func `the options list all parts`() throws {
        let options = try Shop().get("luthier.options")
        #expect(options.hasPrefix(#"{"basePrice":2000,"shape":[{"name":"casual","displayName":"Casual","price":0}"#))
        #expect(options.contains(#"{"name":"birdseyeMaple","displayName":"Birdseye Maple","price":80}"#))
    }
}
