import Reactive
import Testing

struct ShareTests {
    @Test(arguments: [
        Course(
            """
            a  -1-2-3-|
               ^------!
            =  -1-2-3-|
            =  ---2-3-|
               --^
            """),
        Course(
            """
            a  -1-#
               ^--!
            =  -1-#
            =  ---#
               --^
            """),
        Course(
            """
            a  ---
               ^----!
            =  ---
               ^--!
            =  ---
               --^--!
            """),
        Course(
            """
            a  -1-2-3-|
               ^---!
            =  -1
               ^-!
            =  -1-2
               ^---!
            """),
        Course(
            """
            a  -1-|
               ^-!
               ----^--!
            =  -1
               ^-!
            =  -----1-|
               ----^
            """),
        Course(
            """
            a  -1-|
               ^--!
               ----^--!
            =  -1-|
            =  -----1-|
               ----^
            """),
        Course(
            """
            a  |
               *
            =  |
            =  |
            """),
    ])
    func `all listeners share one run, from the first listener to the last (Law SHARE1)`(_ course: Course) {
        course.holds { $0.a.share() }
        course.holds { $0.a.map { $0 } }
    }

    @Test(arguments: [
        Course(
            """
            a  -1-2-3----4-|
               ^-----------!
            =  -1-2-3----4-|
            =  ------(23)4-|
               ------^
            """),
        Course(
            """
            a  -1-----2-|
               ^--------!
            =  -1-----2-|
            =  --1----2-|
               --^
            """),
        Course(
            """
            a  -1-2-----#
               ^--------!
            =  -1-2-----#
            =  ----(12)-#
               ----^
            """),
        Course(
            """
            a  -1-|
               ^-!
               ----^--!
            =  -1
               ^-!
            =  -----1-|
               ----^
            """),
        Course(
            """
            a  -1-|
               ^--!
               ----^--!
            =  -1-|
            =  -----1-|
               ----^
            """),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-12-#", "^---!", "-12-#"),
    ])
    func `share(replay:) delivers the last values to late listeners (Law SHAREREPLAY1)`(_ course: Course) {
        course.holds { $0.a.share(replay: 2) }
    }

    @Test(arguments: [0, -1])
    func `share(replay: 0) replays nothing (Law SHAREREPLAY1)`(_ count: Int) {
        Course(
            """
            a  -1-2-|
               ^----!
            =  -1-2-|
            =  ---2-|
               --^
            """
        ).holds { $0.a.share(replay: count) }
    }
}
