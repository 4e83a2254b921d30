extension FunctionSignature {
    /// The signatures of all functions. The checker reads them, and `docs/expressions.md` lists them.
    static let text = """
        size(string | bytes | list<A> | map<A, B>) -> int
        string.size() -> int
        bytes.size() -> int
        list<A>.size() -> int
        map<A, B>.size() -> int
        int(int | uint | double | decimal | string | timestamp) -> int
        uint(int | uint | double | string) -> uint
        double(int | uint | double | decimal | string) -> double
        decimal(string | int | uint | decimal) -> decimal
        bool(bool | string) -> bool
        string(string | bool | int | uint | double | decimal | bytes | timestamp | duration) -> string
        bytes(string | bytes) -> bytes
        timestamp(timestamp | string | int) -> timestamp
        duration(duration | string) -> duration
        type(A) -> type
        dyn(A) -> dyn
        base64.encode(bytes) -> string
        base64.decode(string) -> bytes
        string.contains(string) -> bool
        string.startsWith(string) -> bool
        string.endsWith(string) -> bool
        string.matches(string) -> bool
        matches(string, string) -> bool
        string.charAt(int) -> string
        string.indexOf(string) -> int
        string.indexOf(string, int) -> int
        string.lastIndexOf(string) -> int
        string.lastIndexOf(string, int) -> int
        string.substring(int) -> string
        string.substring(int, int) -> string
        string.replace(string, string) -> string
        string.replace(string, string, int) -> string
        string.split(string) -> list<string>
        string.split(string, int) -> list<string>
        list<string>.join() -> string
        list<string>.join(string) -> string
        string.trim() -> string
        string.lowerAscii() -> string
        string.upperAscii() -> string
        string.reverse() -> string
        string.format(list<A>) -> string
        strings.quote(string) -> string
        text.fold(string) -> string
        text.plain(string) -> string
        text.words(string) -> list<string>
        text.order(string) -> string
        round(decimal | int | uint, int) -> decimal
        math.greatest(list<N>) -> N
        math.greatest(N, ...) -> N
        math.least(list<N>) -> N
        math.least(N, ...) -> N
        math.ceil(double | int) -> double
        math.floor(double | int) -> double
        math.round(double | int) -> double
        math.trunc(double | int) -> double
        math.abs(N) -> N
        math.sign(decimal) -> int
        math.sign(N) -> N
        math.sqrt(double | int | uint) -> double
        math.isNaN(double | int) -> bool
        math.isInf(double | int) -> bool
        math.isFinite(double | int) -> bool
        math.bitAnd(int, int) -> int
        math.bitAnd(uint, uint) -> uint
        math.bitOr(int, int) -> int
        math.bitOr(uint, uint) -> uint
        math.bitXor(int, int) -> int
        math.bitXor(uint, uint) -> uint
        math.bitNot(int) -> int
        math.bitNot(uint) -> uint
        math.bitShiftLeft(int, int) -> int
        math.bitShiftLeft(uint, int) -> uint
        math.bitShiftRight(int, int) -> int
        math.bitShiftRight(uint, int) -> uint
        list<A>.slice(int, int) -> list<A>
        list<list<A>>.flatten() -> list<A>
        list<A>.flatten() -> list<dyn>
        list<A>.flatten(int) -> list<dyn>
        list<A>.distinct() -> list<A>
        list<C>.sort() -> list<C>
        list<A>.reverse() -> list<A>
        lists.range(int) -> list<int>
        sets.contains(list<A>, list<A>) -> bool
        sets.equivalent(list<A>, list<A>) -> bool
        sets.intersects(list<A>, list<A>) -> bool
        timestamp.getFullYear() -> int
        timestamp.getFullYear(string) -> int
        timestamp.getMonth() -> int
        timestamp.getMonth(string) -> int
        timestamp.getDate() -> int
        timestamp.getDate(string) -> int
        timestamp.getDayOfMonth() -> int
        timestamp.getDayOfMonth(string) -> int
        timestamp.getDayOfWeek() -> int
        timestamp.getDayOfWeek(string) -> int
        timestamp.getDayOfYear() -> int
        timestamp.getDayOfYear(string) -> int
        timestamp.getHours() -> int
        timestamp.getHours(string) -> int
        timestamp.getMinutes() -> int
        timestamp.getMinutes(string) -> int
        timestamp.getSeconds() -> int
        timestamp.getSeconds(string) -> int
        timestamp.getMilliseconds() -> int
        timestamp.getMilliseconds(string) -> int
        duration.getHours() -> int
        duration.getMinutes() -> int
        duration.getSeconds() -> int
        duration.getMilliseconds() -> int
        """
}
