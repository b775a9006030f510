-- Relay's wire protocol in Wireshark and tshark (4.0 or newer): docs/protocol.md has the frames, docs/operations.md how
-- to use this file.
--
-- Frames are not cut by dissect_tcp_pdus. It takes the first bytes of a segment that was captured early, or behind a
-- lost one, for a header, and may then wait for its body until the connection ends. Here each place where a frame
-- begins is known by its TCP sequence number, and where none is known, one is searched for.
--
-- Wireshark dissects packets in order once, and then again in any order. What the first pass finds out is remembered by
-- packet: where frames begin, and the number of the first message. Beside that each connection has a bounded state.

local relay = Proto("relay", "Relay")

local HEADER = 8
local CONTROL_LIMIT = 16384
local MESSAGE_LIMIT = 67108864
-- Bytes in which a frame's start is searched for at most, where a single packet is too short for it.
local SEARCH_LIMIT = 65536
-- Starts of frames that a direction remembers: a segment that was captured late may begin at one of them.
local POINTS = 16
local SEQUENCE_SPACE = 4294967296

-- Control frames: name, the shortest body, and the bodies that version 1 writes if these are of one length or two.
-- Such a header is hardly met by chance.
local CONTROLS = {
    [1] = {name = "HELLO", shortest = 42},
    [2] = {name = "WELCOME", shortest = 50},
    [3] = {name = "SUBSCRIBE", shortest = 8},
    [4] = {name = "PING", shortest = 24, usual = {[24] = true}},
    [5] = {name = "PONG", shortest = 8, usual = {[8] = true}},
    [6] = {name = "SEQUENCE", shortest = 8, usual = {[8] = true}},
    [7] = {name = "GAP", shortest = 24, usual = {[24] = true}},
    [8] = {name = "ACK", shortest = 16, usual = {[16] = true, [32] = true}},
    [9] = {name = "ERROR", shortest = 2},
    [10] = {name = "GOAWAY", shortest = 8},
    [11] = {name = "SUBSCRIBED", shortest = 16, usual = {[16] = true}},
    [12] = {name = "RETRY_AFTER", shortest = 4, usual = {[4] = true}},
}
local HELLO, WELCOME, SUBSCRIBE, PING, PONG, SEQUENCE, GAP, ACK, ERROR, GOAWAY, SUBSCRIBED, RETRY_AFTER =
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
local FROM_RELAY = {
    [WELCOME] = true, [SEQUENCE] = true, [GAP] = true, [ACK] = true, [GOAWAY] = true, [SUBSCRIBED] = true,
    [RETRY_AFTER] = true,
}

local SUBSCRIBER, PUBLISHER = 1, 2
local LATEST, STATE = 5, 4
local ROLES = {[SUBSCRIBER] = "subscriber", [PUBLISHER] = "publisher"}
local POLICIES = {[0] = "default", [1] = "disconnect", [2] = "backpressure", [3] = "skip", [4] = "replay",
    [5] = "latest"}
local STARTS = {[0] = "live", [1] = "sequence", [2] = "earliest", [3] = "time", [4] = "state"}
local LEVELS = {[0] = "stream", [1] = "written", [2] = "forced"}
local REASONS = {[1] = "SLOW", [2] = "NOT_HELD", [3] = "DAMAGED", [4] = "SUPERSEDED"}
local SUPERSEDED = 4
local CODES = {
    "PEER_CLOSED", "CONNECTION_LOST", "TRUNCATED_FRAME", "NEGATIVE_LENGTH", "OVERSIZED_LENGTH", "RESERVED_TYPE",
    "UNEXPECTED_INPUT", "SLOW_SUBSCRIBER", "STALLED_SUBSCRIBER", "SHUTDOWN", "INTERNAL_ERROR", "MALFORMED_CONTROL",
    "UNSUPPORTED", "WRONG_ROLE", "PROTOCOL_ORDER", "HANDSHAKE_TIMEOUT", "IDLE_TIMEOUT", "TOO_MANY_CONNECTIONS",
    "TOO_MANY_PUBLISHERS", "NAME_TAKEN", "BAD_START", "TOO_MANY_NAMES", "MESSAGE_GAP", "NAME_HELD", "MEMORY_LIMIT",
    "FRAME_TIMEOUT", "TOO_MANY_FROM_ADDRESS", "NOT_AUTHENTICATED", "NOT_PERMITTED", "REVOKED", "TLS_FAILED",
    "RATE_LIMITED", "TLS_KEY_USED_UP", "JOURNAL_FAILED",
}

local ACKS, SEQUENCES, NARROWED, INTERVAL, PEER, LEVELS_BIT, EPOCHS, TOKEN =
    0x1, 0x2, 0x4, 0x8, 0x10, 0x20, 0x40, 0x10000
local EPOCH_CHANGED, ROLLED_BACK = 0x1, 0x2

local f = {
    name = ProtoField.string("relay.name", "Frame"),
    type = ProtoField.int32("relay.type", "Type", base.DEC),
    control = ProtoField.uint32("relay.control", "Control frame", base.HEX),
    length = ProtoField.int32("relay.length", "Length of the body", base.DEC),
    body = ProtoField.bytes("relay.body", "Body"),
    seq = ProtoField.int64("relay.seq", "Sequence", base.DEC, nil, nil, "Counted: the message's number in the stream"),
    number = ProtoField.int64("relay.number", "Number", base.DEC, nil, nil,
        "Counted: the message's number of its publisher"),
    rest = ProtoField.bytes("relay.rest", "Rest of a frame that began before"),
    skipped = ProtoField.bytes("relay.skipped", "Bytes before the first frame that was found"),
    later = ProtoField.bytes("relay.later", "Fields of a later version"),
    reserved = ProtoField.uint32("relay.reserved", "Reserved"),
    range_count = ProtoField.uint16("relay.ranges", "Count of ranges"),
    range_from = ProtoField.int32("relay.range.from", "From type"),
    range_to = ProtoField.int32("relay.range.to", "To type"),
    feature_acks = ProtoField.bool("relay.features.acks", "ACKS", 32, nil, ACKS),
    feature_sequences = ProtoField.bool("relay.features.sequences", "SEQUENCES", 32, nil, SEQUENCES),
    feature_narrowed = ProtoField.bool("relay.features.narrowed", "NARROWED", 32, nil, NARROWED),
    feature_interval = ProtoField.bool("relay.features.interval", "INTERVAL", 32, nil, INTERVAL),
    feature_peer = ProtoField.bool("relay.features.peer", "PEER", 32, nil, PEER),
    feature_levels = ProtoField.bool("relay.features.levels", "LEVELS", 32, nil, LEVELS_BIT),
    feature_epochs = ProtoField.bool("relay.features.epochs", "EPOCHS", 32, nil, EPOCHS),
    feature_token = ProtoField.bool("relay.features.token", "TOKEN", 32, nil, TOKEN),
    hello_lowest = ProtoField.uint16("relay.hello.lowest", "Lowest version"),
    hello_highest = ProtoField.uint16("relay.hello.highest", "Highest version"),
    hello_role = ProtoField.uint8("relay.hello.role", "Role", base.DEC, ROLES),
    hello_policy = ProtoField.uint8("relay.hello.policy", "Policy", base.DEC, POLICIES),
    hello_start = ProtoField.uint8("relay.hello.start", "Start", base.DEC, STARTS),
    hello_features = ProtoField.uint32("relay.hello.features", "Features wanted", base.HEX),
    hello_heartbeat = ProtoField.int32("relay.hello.heartbeat", "Heartbeat wanted, ms"),
    hello_epoch = ProtoField.int64("relay.hello.epoch", "Epoch"),
    hello_number = ProtoField.int64("relay.hello.number", "Number"),
    hello_name = ProtoField.string("relay.hello.name", "Name", base.UNICODE),
    hello_producer = ProtoField.none("relay.hello.producer", "Producer id: a secret, not shown"),
    hello_token = ProtoField.none("relay.hello.token", "Token: a secret, not shown"),
    hello_level = ProtoField.uint8("relay.hello.level", "Level", base.DEC, LEVELS),
    hello_interval = ProtoField.uint32("relay.hello.interval", "Interval wanted, ms"),
    welcome_version = ProtoField.uint16("relay.welcome.version", "Version"),
    welcome_policy = ProtoField.uint8("relay.welcome.policy", "Policy", base.DEC, POLICIES),
    welcome_flags = ProtoField.uint8("relay.welcome.flags", "Flags", base.HEX),
    welcome_changed = ProtoField.bool("relay.welcome.epoch_changed", "EPOCH_CHANGED", 8, nil, EPOCH_CHANGED),
    welcome_rolled = ProtoField.bool("relay.welcome.rolled_back", "ROLLED_BACK", 8, nil, ROLLED_BACK),
    welcome_features = ProtoField.uint32("relay.welcome.features", "Features granted", base.HEX),
    welcome_epoch = ProtoField.int64("relay.welcome.epoch", "Epoch"),
    welcome_next = ProtoField.int64("relay.welcome.next", "Next"),
    welcome_accepted = ProtoField.int64("relay.welcome.accepted", "Accepted"),
    welcome_max_body = ProtoField.int32("relay.welcome.max_body", "Longest body of a message"),
    welcome_heartbeat = ProtoField.int32("relay.welcome.heartbeat", "Heartbeat interval, ms"),
    welcome_idle = ProtoField.int32("relay.welcome.idle", "Idle timeout, ms"),
    welcome_ranges = ProtoField.uint16("relay.welcome.max_ranges", "Most ranges"),
    welcome_server = ProtoField.string("relay.welcome.server", "Server", base.UNICODE),
    welcome_fork = ProtoField.int64("relay.welcome.fork", "Fork"),
    welcome_interval = ProtoField.uint32("relay.welcome.interval", "Interval, ms"),
    welcome_address = ProtoField.string("relay.welcome.address", "Address of the client", base.UNICODE),
    welcome_identity = ProtoField.string("relay.welcome.identity", "Identity of the client", base.UNICODE),
    welcome_epochs = ProtoField.uint16("relay.welcome.epochs", "Count of epochs"),
    epoch_epoch = ProtoField.int64("relay.epoch.epoch", "Epoch of a life"),
    epoch_first = ProtoField.int64("relay.epoch.first", "First sequence of this life"),
    subscribe_request = ProtoField.int32("relay.subscribe.request", "Request"),
    subscribed_request = ProtoField.int32("relay.subscribed.request", "Request"),
    subscribed_sequence = ProtoField.int64("relay.subscribed.sequence", "Sequence"),
    ping_id = ProtoField.int64("relay.ping.id", "Id"),
    ping_next = ProtoField.int64("relay.ping.next", "Next"),
    ping_head = ProtoField.int64("relay.ping.head", "Head"),
    pong_id = ProtoField.int64("relay.pong.id", "Id"),
    sequence_next = ProtoField.int64("relay.sequence.next", "Next"),
    gap_from = ProtoField.int64("relay.gap.from", "From"),
    gap_to = ProtoField.int64("relay.gap.to", "To"),
    gap_reason = ProtoField.uint16("relay.gap.reason", "Reason", base.DEC, REASONS),
    ack_number = ProtoField.int64("relay.ack.number", "Number"),
    ack_sequence = ProtoField.int64("relay.ack.sequence", "Sequence"),
    ack_written = ProtoField.int64("relay.ack.written", "Written"),
    ack_forced = ProtoField.int64("relay.ack.forced", "Forced"),
    error_code = ProtoField.uint16("relay.error.code", "Code", base.DEC, CODES),
    error_text = ProtoField.string("relay.error.text", "Text", base.UNICODE),
    goaway_code = ProtoField.uint16("relay.goaway.code", "Code", base.DEC, CODES),
    goaway_closes = ProtoField.int32("relay.goaway.closes_in", "Closes in, ms"),
    goaway_text = ProtoField.string("relay.goaway.text", "Text", base.UNICODE),
    retry_wait = ProtoField.int32("relay.retry_after.wait", "Wait, ms"),
}
relay.fields = f

local FEATURES = {
    f.feature_acks, f.feature_sequences, f.feature_narrowed, f.feature_interval, f.feature_peer, f.feature_levels,
    f.feature_epochs, f.feature_token,
}

local e = {
    gap = ProtoExpert.new("relay.expert.gap", "Messages are missed", expert.group.SEQUENCE, expert.severity.WARN),
    superseded = ProtoExpert.new("relay.expert.superseded", "Newer messages have taken their place",
        expert.group.SEQUENCE, expert.severity.NOTE),
    error = ProtoExpert.new("relay.expert.error", "The connection is closed", expert.group.RESPONSE_CODE,
        expert.severity.ERROR),
    goaway = ProtoExpert.new("relay.expert.goaway", "The connection will be closed", expert.group.RESPONSE_CODE,
        expert.severity.NOTE),
    changed = ProtoExpert.new("relay.expert.changed", "The stream is not the client's", expert.group.SEQUENCE,
        expert.severity.WARN),
    count = ProtoExpert.new("relay.expert.count", "The count is wrong", expert.group.SEQUENCE, expert.severity.WARN),
    malformed = ProtoExpert.new("relay.expert.malformed", "Malformed", expert.group.MALFORMED, expert.severity.ERROR),
    lost = ProtoExpert.new("relay.expert.lost", "Frames are lost to this capture", expert.group.SEQUENCE,
        expert.severity.WARN),
    start = ProtoExpert.new("relay.expert.start", "A new start of frames", expert.group.SEQUENCE, expert.severity.NOTE),
    cut = ProtoExpert.new("relay.expert.cut", "A frame is not whole in this capture", expert.group.UNDECODED,
        expert.severity.WARN),
}
relay.experts = {e.gap, e.superseded, e.error, e.goaway, e.changed, e.count, e.malformed, e.lost, e.start, e.cut}

relay.prefs.subscribe = Pref.range("Subscribe ports", "7400", "Ports of relays from which subscribers read", 65535)
relay.prefs.publish = Pref.range("Publish ports", "7401", "Ports of relays to which publishers write", 65535)
relay.prefs.tls_subscribe = Pref.range("Subscribe ports with TLS", "7410", "The same with TLS", 65535)
relay.prefs.tls_publish = Pref.range("Publish ports with TLS", "7411", "The same with TLS", 65535)
relay.prefs.max_body = Pref.uint("Longest body of a message", 1048576,
    "The relay's --max-body, where the capture has no WELCOME: a longer one is taken for the loss of a frame's start")

local tcp_stream = Field.new("tcp.stream")
local tcp_seq = Field.new("tcp.seq")
local tcp_seq_raw = Field.new("tcp.seq_raw")
local tcp_len = Field.new("tcp.len")
local tcp_completeness = Field.new("tcp.completeness")
local tls_layer = Field.new("tls")
local tls_dissector = Dissector.get("tls")

local ZERO, ONE = Int64(0), Int64(1)

-- By TCP stream: {facts = what both directions know, [port] = the state of the direction from this port}.
local connections = {}
-- By packet: a list of the calls that consumed something, in order.
local packets = {}

local function last(field)
    local value
    for _, info in ipairs({field()}) do
        value = info.value
    end
    return value
end

-- distance(A, B): from A on to B, as TCP counts; negative where B is before A.
local function distance(from, to)
    local bytes = (to - from) % SEQUENCE_SPACE
    return bytes < SEQUENCE_SPACE / 2 and bytes or bytes - SEQUENCE_SPACE
end

local function plus(sequence, bytes)
    return (sequence + bytes) % SEQUENCE_SPACE
end

-- following(NUMBER): nil behind the last one.
local function following(number)
    local sum = number + ONE
    return sum > ZERO and sum or nil
end

local function number_of_control(type)
    -- As signed numbers the reserved types are the lowest.
    local number = type + 2147483648
    return number >= 0 and number <= 255 and number or nil
end

local function name_of(type)
    local control = number_of_control(type)
    if not control then
        return "MESSAGE"
    end
    return CONTROLS[control] and CONTROLS[control].name
        or string.format("unknown control frame 0x%08X", 0x80000000 + control)
end

-- header_problem(TYPE, LENGTH, LIMIT): why it cannot be a header, or nil.
local function header_problem(type, length, limit)
    if length < 0 then
        return "the length " .. length .. " is negative"
    end
    local most = number_of_control(type) and CONTROL_LIMIT or limit
    if length > most then
        return "the length " .. length .. " is over the limit of " .. most
    end
end

-- evidence(TYPE, LENGTH, LIMIT): how much a header speaks for a frame's start, or nil where it cannot be one. Bodies
-- are often full of zeros, which are headers of empty messages.
local function evidence(type, length, limit)
    if header_problem(type, length, limit) then
        return nil
    end
    local number = number_of_control(type)
    if not number then
        return length > 0 and 2 or type ~= 0 and 1 or 0
    end
    local control = CONTROLS[number]
    if number == 0 or number >= 0x80 or (control and length < control.shortest) then
        return nil
    end
    return control and control.usual and control.usual[length] and 6 or 2
end

local function int32(a, b, c, d)
    local value = ((a * 256 + b) * 256 + c) * 256 + d
    return value >= 2147483648 and value - 4294967296 or value
end

-- search(BYTES, FROM, LIMIT, TRUSTED): a place behind which there are only headers that can be: three in a row up to
-- the end, or any that lead to the exact end. Its offset and the reason, or nil. Bodies of numbers may have such rows
-- too, of many types, with empty messages between them, or with longer steps. The row with the highest score is
-- taken, or TRUSTED if that has half of it. It takes the time of one pass.
local function search(bytes, from, limit, trusted)
    local size = #bytes
    -- By offset, of the row that begins there: evidence, score, the first type, and whether it leads to the exact end.
    local sum, score, types, exact = {}, {}, {}, {}
    local found, found_empty
    for at = size - HEADER, from, -1 do
        local a, b, c, d, g, h, i, j = string.byte(bytes, at + 1, at + HEADER)
        -- The first byte of a length is 0 to 4.
        if g <= 4 then
            local type, length = int32(a, b, c, d), int32(g, h, i, j)
            local speaks = evidence(type, length, limit)
            local next_header = at + HEADER + length
            if speaks and (next_header > size - HEADER or sum[next_header]) then
                sum[at] = speaks + (sum[next_header] or 0)
                score[at] = (speaks >= 2 and speaks or 0) + (length > 0 and type == types[next_header] and 1 or 0)
                    + (score[next_header] or 0)
                types[at] = type
                exact[at] = next_header == size or exact[next_header]
                if speaks >= 2 and (sum[at] >= 6 or exact[at]) and (not found or score[at] >= score[found]) then
                    found = at
                elseif speaks == 1 and sum[at] >= 6 then
                    found_empty = at
                end
            end
        end
    end
    found = found or found_empty
    -- A row that begins with zeros is rather the end of a body.
    local zeros = trusted and string.sub(bytes, trusted + 1, trusted + HEADER) == string.rep("\0", HEADER)
    if trusted and not zeros and sum[trusted] and (not found or score[trusted] * 2 >= score[found]) then
        return trusted
    end
    if found then
        return found, exact[found] and "headers lead to the exact end" or "three headers in a row can be"
    end
end

-- A direction of a connection. tail: the TCP sequence number behind the newest byte that was seen; points: where
-- frames begin. A point is {from, at, count}: a frame that began at `from` ends before `at`, where the next one
-- begins; count is the number of the message at this place, or nil if it is not known.
local function direction(connection, port)
    local state = connection[port]
    if not state then
        state = {points = {}, next_point = 1}
        connection[port] = state
    end
    return state
end

local function add_point(state, from, at, count)
    for _, point in ipairs(state.points) do
        if point.at == at then
            point.from, point.count = from, count
            return
        end
    end
    state.points[state.next_point] = {from = from, at = at, count = count}
    state.next_point = state.next_point % POINTS + 1
end

local function point_at(state, sequence)
    for _, point in ipairs(state.points) do
        if point.at == sequence then
            return point
        end
    end
end

-- point_within(STATE, SEQUENCE): that of the frame of which SEQUENCE is in the middle.
local function point_within(state, sequence)
    for _, point in ipairs(state.points) do
        if distance(point.from, sequence) > 0 and distance(sequence, point.at) > 0 then
            return point
        end
    end
end

-- with(FACTS, CHANGES): a copy. Calls of earlier packets keep the facts of their time.
local function with(facts, changes)
    local copy = {}
    for key, value in pairs(facts) do
        copy[key] = value
    end
    for key, value in pairs(changes) do
        copy[key] = value
    end
    return copy
end

-- A body of a control frame: reads field after field into a tree, and tells what the protocol does not allow.
local Body = {}
Body.__index = Body

function Body:bad(item, text)
    self.problem = true
    item:add_proto_expert_info(e.malformed, self.name .. ": " .. text)
end

-- take(BYTES, WHAT): their range, or nil where the body, or what was captured of it, ends before.
function Body:take(bytes, what)
    if self.ended then
        return nil
    end
    if self.at + bytes > self.to then
        self.ended = true
        if not self.cut then
            self:bad(self.tree, "the body ends within " .. what)
        end
        return nil
    end
    local range = self.tvb(self.at, bytes)
    self.at = self.at + bytes
    return range
end

function Body:within(item, what, value, least, most)
    if value < least or value > most then
        self:bad(item, what .. " " .. tostring(value) .. " is not within " .. tostring(least) .. ".." .. tostring(most))
    end
end

-- number(FIELD, BYTES, WHAT, LEAST, MOST, SIGNED): a number of 1, 2 or 4 bytes.
function Body:number(field, bytes, what, least, most, signed)
    local range = self:take(bytes, what)
    if not range then
        return nil
    end
    local value = signed and range:int() or range:uint()
    local item = self.tree:add(field, range)
    if least then
        self:within(item, what, value, least, most)
    end
    return value, item, range
end

-- long(FIELD, WHAT, LEAST, MOST): an int64 within these, if they are given.
function Body:long(field, what, least, most)
    local range = self:take(8, what)
    if not range then
        return nil
    end
    local value = range:int64()
    local item = self.tree:add(field, range)
    if least and value < least then
        self:bad(item, what .. " " .. tostring(value) .. " is below " .. tostring(least))
    elseif most and value > most then
        self:bad(item, what .. " " .. tostring(value) .. " is above " .. tostring(most))
    end
    return value, item
end

function Body:reserved(bytes)
    local value, item = self:number(f.reserved, bytes, "a reserved field")
    if value and value ~= 0 then
        self:bad(item, "a reserved field is " .. value .. ", not 0")
    end
end

-- text_problem(TEXT): what a string of the protocol may not hold.
local function text_problem(text)
    local at, size = 1, #text
    while at <= size do
        local a, b, c, d = string.byte(text, at, at + 3)
        local function continues(byte, least, most)
            return byte and byte >= (least or 0x80) and byte <= (most or 0xBF)
        end
        local bytes
        if a < 0x80 then
            bytes = 1
            if a < 0x20 or a == 0x7F then
                return "holds a control character"
            end
        elseif a >= 0xC2 and a <= 0xDF and continues(b) then
            bytes = 2
            if a == 0xC2 and b < 0xA0 then
                return "holds a control character"
            end
        elseif a >= 0xE0 and a <= 0xEF and continues(c)
            and continues(b, a == 0xE0 and 0xA0 or nil, a == 0xED and 0x9F or nil) then
            bytes = 3
        elseif a >= 0xF0 and a <= 0xF4 and continues(c) and continues(d)
            and continues(b, a == 0xF0 and 0x90 or nil, a == 0xF4 and 0x8F or nil) then
            bytes = 4
        else
            return "is not UTF-8"
        end
        at = at + bytes
    end
end

-- string(FIELD, WHAT, LEAST): its length, from LEAST to 255 bytes, and the string itself.
function Body:string(field, what, least)
    local length_range = self:take(2, "the length of " .. what)
    if not length_range then
        return nil
    end
    local length = length_range:uint()
    if length < least or length > 255 then
        self:bad(self.tree, "the length of " .. what .. " " .. length .. " is not within " .. least .. "..255")
    end
    local range = self:take(length, what)
    if not range then
        return nil
    end
    local item = self.tree:add(field, length > 0 and range or length_range)
    local problem = length > 0 and text_problem(range:raw())
    if problem then
        self:bad(item, what .. " " .. problem)
    end
    return length
end

function Body:text(field)
    if self.to > self.at then
        self.tree:add(field, self:take(self.to - self.at, "text"))
    end
end

function Body:ranges(count)
    for _ = 1, count do
        local from, item = self:number(f.range_from, 4, "ranges", nil, nil, true)
        local to = self:number(f.range_to, 4, "ranges", nil, nil, true)
        if not to then
            return
        end
        if from < -2147483392 then
            self:bad(item, "range " .. from .. " to " .. to .. " holds reserved types")
        elseif from > to then
            self:bad(item, "range " .. from .. " to " .. to .. " runs backwards")
        end
    end
end

function Body:features(field)
    local value, item, range = self:number(field, 4, "features")
    if value then
        for _, feature in ipairs(FEATURES) do
            item:add(feature, range)
        end
    end
    return value or 0
end

local function has(features, bit)
    return math.floor(features / bit) % 2 == 1
end

local readers = {}

readers[HELLO] = function(body, seen)
    local lowest = body:number(f.hello_lowest, 2, "lowest version", 1, 65535)
    body:number(f.hello_highest, 2, "highest version", lowest or 1, 65535)
    local role = body:number(f.hello_role, 1, "role", SUBSCRIBER, PUBLISHER)
    local publisher = role == PUBLISHER
    local policy = body:number(f.hello_policy, 1, "policy", 0, publisher and 0 or LATEST)
    local start = body:number(f.hello_start, 1, "start", 0, publisher and 0 or STATE)
    body:reserved(1)
    local features = body:features(f.hello_features)
    local acks = publisher and has(features, ACKS)
    local heartbeat, heartbeat_item = body:number(f.hello_heartbeat, 4, "heartbeat", nil, nil, true)
    if heartbeat and heartbeat ~= 0 then
        body:within(heartbeat_item, "heartbeat", heartbeat, 100, 3600000)
    end
    body:long(f.hello_epoch, "epoch")
    local from_number = start == 1 or start == 3
    local number = body:long(f.hello_number, "number", from_number and ONE or ZERO,
        not (from_number or start == STATE or acks) and ZERO or nil)
    local count, count_item = body:number(f.range_count, 2, "count of ranges", 0, publisher and 0 or 1024)
    body:reserved(2)
    body:reserved(4)
    if count and count <= 1024 then
        body:ranges(count)
    end
    body:string(f.hello_name, "name", acks and 1 or 0)
    local token, level, interval = has(features, TOKEN), has(features, LEVELS_BIT), has(features, INTERVAL)
    if body.at < body.to or token or level or interval then
        local range = body:take(16, "producer id")
        if range then
            local item = body.tree:add(f.hello_producer, range)
            if not acks and (range(0, 8):int64() ~= ZERO or range(8, 8):int64() ~= ZERO) then
                body:bad(item, "producer id is not 0 without ACKS")
            end
        end
    end
    if token then
        body:string(f.hello_token, "token", 1)
    end
    if level then
        body:number(f.hello_level, 1, "level", 0, 2)
    end
    if interval then
        local wanted, item = body:number(f.hello_interval, 4, "interval")
        if wanted and wanted ~= 0 then
            body:within(item, "interval", wanted, publisher and 0 or 10, publisher and 0 or 3600000)
            if not publisher and policy ~= LATEST then
                body:bad(item, "an interval needs the policy latest")
            end
        end
    end
    seen.role = role
    seen.acks = acks
    seen.number = number
    seen.ranges = count
end

readers[WELCOME] = function(body, seen)
    body:number(f.welcome_version, 2, "version", 1, 65535)
    body:number(f.welcome_policy, 1, "policy", 0, LATEST)
    local flags, flags_item, range = body:number(f.welcome_flags, 1, "flags")
    flags = flags or 0
    if range then
        flags_item:add(f.welcome_changed, range)
        flags_item:add(f.welcome_rolled, range)
        if has(flags, EPOCH_CHANGED) then
            flags_item:add_proto_expert_info(e.changed, has(flags, ROLLED_BACK)
                and "Rolled back: what the client had from the fork on is gone" or "Another stream than the client's")
        end
    end
    local rolled_back = has(flags, EPOCH_CHANGED) and has(flags, ROLLED_BACK)
    local features = body:features(f.welcome_features)
    local epoch, epoch_item = body:long(f.welcome_epoch, "epoch")
    if epoch and epoch == ZERO then
        body:bad(epoch_item, "epoch is 0")
    end
    seen.next = body:long(f.welcome_next, "next", ONE)
    seen.accepted = body:long(f.welcome_accepted, "accepted", ZERO)
    seen.max_body = body:number(f.welcome_max_body, 4, "longest body", 1, MESSAGE_LIMIT, true)
    local heartbeat = body:number(f.welcome_heartbeat, 4, "heartbeat", 100, 3600000, true)
    body:number(f.welcome_idle, 4, "idle timeout", heartbeat or 100, 2147483647, true)
    body:number(f.welcome_ranges, 2, "most ranges")
    body:reserved(2)
    body:string(f.welcome_server, "server", 0)
    local epochs, interval, peer = has(features, EPOCHS), has(features, INTERVAL), has(features, PEER)
    if body.at < body.to or epochs or interval or peer then
        local fork, fork_item = body:long(f.welcome_fork, "fork")
        if fork and not rolled_back and fork ~= ZERO then
            body:bad(fork_item, "fork is not 0 without ROLLED_BACK")
        elseif fork and rolled_back and fork < ONE then
            body:bad(fork_item, "fork " .. tostring(fork) .. " is below 1")
        end
    elseif rolled_back then
        body:bad(body.tree, "fork is missing with ROLLED_BACK")
    end
    if epochs then
        local count = body:number(f.welcome_epochs, 2, "count of epochs", 0, 16)
        body:reserved(2)
        for _ = 1, math.min(count or 0, 16) do
            local row, row_item = body:long(f.epoch_epoch, "epoch of a row")
            if row and row == ZERO then
                body:bad(row_item, "epoch of a row is 0")
            end
            body:long(f.epoch_first, "first sequence of an epoch", ONE)
        end
    end
    if interval then
        body:number(f.welcome_interval, 4, "interval", 10, 3600000)
    end
    if peer then
        body:string(f.welcome_address, "address", 0)
        body:string(f.welcome_identity, "identity", 0)
    end
    seen.features = features
end

readers[SUBSCRIBE] = function(body, seen)
    body:number(f.subscribe_request, 4, "request", nil, nil, true)
    local count = body:number(f.range_count, 2, "count of ranges", 0, 1024)
    body:reserved(2)
    if count and count <= 1024 then
        body:ranges(count)
    end
    seen.ranges = count
end

readers[SUBSCRIBED] = function(body, seen)
    body:number(f.subscribed_request, 4, "request", nil, nil, true)
    body:reserved(4)
    seen.next = body:long(f.subscribed_sequence, "sequence", ONE)
end

readers[PING] = function(body, seen)
    body:long(f.ping_id, "id")
    seen.next = body:long(f.ping_next, "next", ZERO)
    body:long(f.ping_head, "head", ZERO)
end

readers[PONG] = function(body)
    body:long(f.pong_id, "id")
end

readers[SEQUENCE] = function(body, seen)
    seen.next = body:long(f.sequence_next, "next", ONE)
end

readers[GAP] = function(body, seen)
    local from = body:long(f.gap_from, "from", ONE)
    local to = body:long(f.gap_to, "to", from or ONE)
    local reason = body:number(f.gap_reason, 2, "reason", 1, 65535)
    body:reserved(2)
    body:reserved(4)
    if to then
        seen.from = from
        seen.next = following(to)
        local which = tostring(from) .. " to " .. tostring(to)
        if reason == SUPERSEDED then
            body.tree:add_proto_expert_info(e.superseded, "Superseded: " .. which)
        else
            body.tree:add_proto_expert_info(e.gap, "Missed: " .. which .. ", "
                .. (REASONS[reason] or "reason " .. tostring(reason)))
        end
    end
end

readers[ACK] = function(body, seen)
    local number = body:long(f.ack_number, "number", ONE)
    body:long(f.ack_sequence, "sequence", ONE)
    if body.at < body.to then
        local written = body:long(f.ack_written, "written", ZERO, number)
        body:long(f.ack_forced, "forced", ZERO, written)
    end
    seen.number = number
end

readers[ERROR] = function(body)
    local code = body:number(f.error_code, 2, "code", 1, 65535)
    body:text(f.error_text)
    if code then
        body.tree:add_proto_expert_info(e.error, "Closed: " .. (CODES[code] or "code " .. code))
    end
end

readers[GOAWAY] = function(body)
    local code = body:number(f.goaway_code, 2, "code", 1, 65535)
    body:reserved(2)
    body:number(f.goaway_closes, 4, "time to close", 0, 2147483647, true)
    if body.to - body.at > 512 then
        body:bad(body.tree, "the text of " .. body.to - body.at .. " bytes is over the limit of 512")
    end
    body:text(f.goaway_text)
    if code then
        body.tree:add_proto_expert_info(e.goaway, "Will be closed: " .. (CODES[code] or "code " .. code))
    end
end

readers[RETRY_AFTER] = function(body)
    body:number(f.retry_wait, 4, "wait", 0, 3600000, true)
end

-- count_by(CALL, CONTROL, SEEN, ITEM): what a control frame says of the numbers of the messages behind it.
local function count_by(call, control, seen, item)
    local facts = call.facts
    if call.from_relay == false then
        if control == HELLO then
            call.count = seen.acks and seen.number and seen.number > ZERO and seen.number or nil
            call.facts = with(facts, {
                role = seen.role, hello = true, acks = seen.acks, number = seen.number,
                ranges = (seen.ranges or 0) > 0,
            })
        elseif control == SUBSCRIBE and (seen.ranges or 0) > 0 then
            call.facts = with(facts, {ranges = true})
        end
        return
    end
    if control == WELCOME then
        local narrowed, sequences = has(seen.features, NARROWED), has(seen.features, SEQUENCES)
        call.facts = with(facts, {
            limit = seen.max_body, narrowed = narrowed, sequences = sequences, welcome = true,
        })
        if facts.role == PUBLISHER then
            -- The other direction's first message has this number, unless HELLO has named it.
            if not has(seen.features, ACKS) then
                call.other_count = false
            elseif not facts.hello or (facts.number and facts.number == ZERO) then
                call.other_count = seen.accepted and following(seen.accepted) or false
            end
        elseif facts.role == SUBSCRIBER then
            call.count = seen.next
        end
        return
    end
    if control == PING and (not seen.next or seen.next == ZERO) then
        return
    end
    local counts = control == PING or control == SEQUENCE or control == SUBSCRIBED or control == GAP
    if counts and facts.role ~= PUBLISHER then
        local named = control == GAP and seen.from or seen.next
        -- Every message is the next one if the client has asked for all types and may read them.
        local all = facts.hello and facts.welcome and not facts.ranges and not facts.narrowed
        if call.count and call.exact and named
            and (named < call.count or (all and named ~= call.count)) then
            item:add_proto_expert_info(e.count, "The count is " .. tostring(call.count) .. ", and the frame says "
                .. tostring(named))
        end
        call.count = seen.next
    end
end

-- exact(FACTS): whether each message is the next one. Without WELCOME in the capture it is taken for granted.
local function is_exact(facts)
    return facts.sequences or not (facts.ranges or facts.narrowed)
end

-- frame(...): one frame into the tree. shown: its bytes that are there, with the header.
local function frame(call, tvb, tree, at, type, length, shown)
    local control = number_of_control(type)
    local name = name_of(type)
    local item = tree:add(relay, tvb(at, shown))
    item:add(f.name, tvb(at, 4), name)
    item:add(f.type, tvb(at, 4))
    if control then
        item:add(f.control, tvb(at, 4))
    end
    item:add(f.length, tvb(at + 4, 4))
    local text = ": " .. name
    if not control then
        text = text .. " of type " .. type
        if shown > HEADER then
            item:add(f.body, tvb(at + HEADER, shown - HEADER))
        end
        local numbered = call.count and (call.from_relay == false or (call.from_relay and call.exact))
        if numbered then
            local field = call.from_relay and f.seq or f.number
            item:add(field, tvb(at, shown), call.count):set_generated()
            text = text .. (call.from_relay and ", sequence " or ", number ") .. tostring(call.count)
            call.first_number = call.first_number or call.count
            call.last_number = call.count
        end
        call.count = call.count and following(call.count) or nil
        call.messages = call.messages + 1
    else
        local body = setmetatable({
            tvb = tvb, tree = item, name = name, at = at + HEADER, to = at + shown, cut = shown < HEADER + length,
        }, Body)
        local seen = {}
        if CONTROLS[control] then
            readers[control](body, seen)
        elseif control >= 0x80 or control == 0 then
            body:bad(item, "must be understood, and is not")
        end
        if body.at < body.to then
            item:add(f.later, tvb(body.at, body.to - body.at))
        end
        if not body.ended then
            count_by(call, control, seen, item)
            call.exact = is_exact(call.facts)
        end
        call.controls[#call.controls + 1] = #call.controls < 8 and name or nil
    end
    item:append_text(text .. ", " .. length .. " bytes")
    if shown < HEADER + length then
        item:add_proto_expert_info(e.cut, shown .. " of its " .. HEADER + length .. " bytes are here")
    end
end

-- learn(CALL, TYPE, PINFO): which side is the relay, where the ports do not tell.
local function learn(call, type, pinfo)
    local control = number_of_control(type)
    if call.from_relay ~= nil or not control then
        return
    end
    if control == HELLO or control == SUBSCRIBE then
        call.facts = with(call.facts, {relay = pinfo.dst_port})
        call.from_relay = false
    elseif FROM_RELAY[control] then
        local role = (control == ACK and PUBLISHER)
            or ((control == SEQUENCE or control == GAP or control == SUBSCRIBED) and SUBSCRIBER) or nil
        call.facts = with(call.facts, {relay = pinfo.src_port, role = call.facts.role or role})
        call.from_relay = true
    end
end

-- frames(CALL, TVB, PINFO, TREE): all from call.start on. Afterwards call.at is the offset behind the last one,
-- call.wants the bytes of a whole frame that begins there, or nil.
local function frames(call, tvb, pinfo, tree)
    local size, captured = tvb:reported_len(), tvb:captured_len()
    local at = call.start
    call.messages, call.controls = 0, {}
    while at < size do
        if captured - at < HEADER then
            if captured < size then
                call.broken = true
                tree:add_proto_expert_info(e.cut, "The rest of this packet was not captured: capture with -s 0")
                at = size
            elseif not call.may_ask then
                call.broken = true
                tree:add(f.skipped, tvb(at)):add_proto_expert_info(e.lost,
                    "A header that is not whole; what follows it was captured before, or is not put together")
                at = size
            end
            break
        end
        local type, length = tvb(at, 4):int(), tvb(at + 4, 4):int()
        local problem = header_problem(type, length, call.facts.limit)
        if problem then
            local item = tree:add(f.skipped, tvb(at, HEADER))
            item:add_proto_expert_info(e.lost, "Not a header: " .. problem .. ". The next frame's start is unknown")
            call.count = nil
            local found, why = search(tvb:raw(0, captured), at + 1, call.facts.limit)
            if not found then
                call.broken = true
                at = size
                break
            end
            item:set_len(found - at)
            item:add_proto_expert_info(e.start, "Frames begin again " .. found - at .. " bytes later: " .. why)
            at = found
        else
            local total = HEADER + length
            if at + total > size and call.may_ask then
                call.wants = total
                break
            end
            learn(call, type, pinfo)
            frame(call, tvb, tree, at, type, length, math.min(total, captured - at))
            if at + total > size then
                call.runs_on = total
                break
            end
            at = at + total
        end
    end
    call.at = at
end

-- A call is one run of the dissector over the bytes of one packet, or of several that Wireshark has put together.
local function new_call(connection, state, pinfo, tvb, in_tls)
    local facts = connection.facts
    local call = {facts = facts, start = 0}
    if facts.relay then
        call.from_relay = pinfo.src_port == facts.relay
    end
    local size = tvb:reported_len()
    local truncated = tvb:captured_len() < size
    local raw_sequence = last(tcp_seq_raw)
    if in_tls or not raw_sequence then
        -- The records of TLS come in order. Without a tree, as in the first pass of `tshark -2`, there are no
        -- sequence numbers: a segment is then looked at as a whole, whether it begins with a frame.
        call.count = state.count
        call.may_ask = pinfo.can_desegment > 0
        if state.broken then
            call.unknown = "frames were lost before"
        elseif not in_tls and tvb:offset() ~= 0
            and search(tvb:raw(0, tvb:captured_len()), 0, facts.limit, 0) ~= 0 then
            call.unknown = "this segment does not begin with a frame"
        end
        if call.unknown then
            call.count = nil
        end
        return call
    end
    local behind = plus(raw_sequence, last(tcp_len))
    local sequence = plus(behind, -size)
    local point = point_at(state, sequence)
    -- Bytes that were put together lie in a buffer of their own, and begin where this script has asked for more.
    if not point and tvb:offset() == 0 and state.asked then
        local asked = state.asked[size] or state.asked.newest
        point = asked and point_at(state, asked)
        sequence = point and point.at or sequence
    end
    call.sequence = sequence
    local ending = plus(sequence, size)
    local late = state.tail and distance(ending, state.tail) > 0
    call.may_ask = pinfo.can_desegment > 0 and not late and not truncated
    if point then
        call.count = point.count
        return call
    end
    point = point_within(state, sequence)
    if point then
        call.start = math.min(distance(sequence, point.at), size)
        call.rest = call.start
        call.count = point.count
        return call
    end
    if not state.tail then
        local seen = last(tcp_completeness) or 0
        if seen % 4 == 3 and last(tcp_seq) == 1 then
            return call
        end
        call.unknown = "the capture begins within the connection"
    elseif late or distance(state.tail, sequence) < 0 then
        call.unknown = "a segment that was captured late, tcp.reassemble_out_of_order puts it in order"
    elseif state.tail == sequence then
        call.unknown = "the packet before was not captured as a whole, or no frame was found in it"
    else
        call.unknown = distance(state.tail, sequence)
            .. " bytes were not captured, or only later: tcp.reassemble_out_of_order puts these in order"
    end
    return call
end

-- find(CALL, TVB): the start of a frame where none is known. False: more bytes are needed.
local function find(call, tvb)
    local captured = tvb:captured_len()
    local found, why = search(tvb:raw(0, captured), 0, call.facts.limit)
    if found then
        call.start, call.why = found, why
    elseif call.may_ask and captured < SEARCH_LIMIT then
        return false
    else
        call.start, call.lost_all = tvb:reported_len(), true
    end
    return true
end

local function ask(pinfo, at, bytes)
    pinfo.desegment_offset = at
    pinfo.desegment_len = bytes
end

-- commit(...): what the next calls of this direction, and of the other one, have to know.
local function commit(connection, state, other, call, size)
    connection.facts = call.facts
    if call.other_count ~= nil then
        other.count = call.other_count or nil
        -- A publisher that waits for WELCOME has sent nothing behind HELLO.
        for _, point in ipairs(other.points) do
            if point.at == other.tail then
                point.count = other.count
            end
        end
    end
    state.count = call.count
    state.broken = call.broken or call.lost_all
    if not call.sequence then
        return
    end
    local ending = plus(call.sequence, size)
    if not state.tail or distance(state.tail, ending) > 0 then
        state.tail = ending
    end
    if call.rest == size and call.runs_on == nil then
        -- The frame goes on, or ends here: its point stays.
        return
    end
    if state.broken then
        return
    end
    local at = plus(call.sequence, call.at)
    add_point(state, at, at, call.count)
    local frame_bytes = call.wants or call.runs_on
    if frame_bytes then
        local count = call.count
        if call.wants then
            -- If its bytes never come, the frame is one message, or a control frame of which nothing is known.
            count = call.wants_message and count and following(count) or nil
        end
        add_point(state, at, plus(at, frame_bytes), count)
    end
    state.asked = {newest = at}
    if call.wants then
        state.asked[call.wants] = at
    end
end

local function describe(call)
    local parts = {}
    if call.messages > 0 then
        local text = call.messages .. (call.messages == 1 and " message" or " messages")
        if call.first_number then
            text = text .. (call.from_relay and " seq " or " number ") .. tostring(call.first_number)
            if call.last_number ~= call.first_number then
                text = text .. "-" .. tostring(call.last_number)
            end
        end
        parts[1] = text
    end
    for _, name in ipairs(call.controls) do
        parts[#parts + 1] = name
    end
    if call.rest and call.rest > 0 and #parts == 0 then
        parts[1] = "rest of a frame"
    end
    if call.lost_all or call.broken then
        parts[#parts + 1] = "no frame found"
    end
    return table.concat(parts, ", ")
end

local function ports_of(text)
    local ports = {}
    for from, to in string.gmatch(text .. ",", "(%d+)%-?(%d*),") do
        ports[#ports + 1] = {tonumber(from), tonumber(to) or tonumber(from)}
    end
    return ports
end

local roles_of_ports = {}
-- Ports of TLS where HELLO or WELCOME was seen.
local found_ports = {}

local function role_of_port(port)
    for _, range in ipairs(roles_of_ports) do
        if port >= range[1] and port <= range[2] then
            return range.role
        end
    end
end

local function stream_of(pinfo)
    local stream = last(tcp_stream)
    if not stream then
        local ends = {tostring(pinfo.src) .. " " .. pinfo.src_port, tostring(pinfo.dst) .. " " .. pinfo.dst_port}
        table.sort(ends)
        stream = table.concat(ends, " ")
    end
    return stream
end

local function connection_of(pinfo)
    local stream = stream_of(pinfo)
    local connection = connections[stream]
    if not connection then
        local facts = {limit = math.min(relay.prefs.max_body, MESSAGE_LIMIT)}
        local role = role_of_port(pinfo.dst_port)
        if role then
            facts.relay, facts.role = pinfo.dst_port, role
        else
            role = role_of_port(pinfo.src_port)
            if role then
                facts.relay, facts.role = pinfo.src_port, role
            end
        end
        connection = {facts = facts}
        connections[stream] = connection
    end
    return connection
end

function relay.dissector(tvb, pinfo, tree)
    local size = tvb:reported_len()
    if size == 0 then
        return 0
    end
    local connection = connection_of(pinfo)
    local in_tls = tls_layer() ~= nil
    -- Which call of this packet it is. Only those count that consume something: the others may not come again.
    local index = (tonumber(pinfo.private["relay.calls"]) or 0) + 1
    local first_pass = not pinfo.visited
    local call, remembered
    local state = direction(connection, pinfo.src_port)
    if first_pass then
        call = new_call(connection, state, pinfo, tvb, in_tls)
        if call.unknown and not find(call, tvb) then
            ask(pinfo, 0, DESEGMENT_ONE_MORE_SEGMENT)
            return size
        end
        remembered = {
            size = size, facts = call.facts, from_relay = call.from_relay, start = call.start, rest = call.rest,
            count = call.count, may_ask = call.may_ask, unknown = call.unknown, why = call.why,
            lost_all = call.lost_all,
        }
    else
        remembered = packets[pinfo.number] and packets[pinfo.number][index]
        -- TCP now leaves out a tail that was put together with later packets.
        if not remembered or size < remembered.used or size > remembered.size then
            -- The first pass has consumed nothing of these bytes.
            ask(pinfo, 0, DESEGMENT_ONE_MORE_SEGMENT)
            return size
        end
        call = with(remembered, {})
    end
    call.exact = is_exact(call.facts)

    local told = tree
    if call.unknown then
        local skipped = math.min(call.start, tvb:captured_len())
        told = tree:add(relay, tvb(0, skipped > 0 and skipped or nil))
        told:append_text(": search for a frame's start")
        if skipped > 0 then
            told:add(f.skipped, tvb(0, skipped))
        end
        told:add_proto_expert_info(e.lost, "Frames are lost here: " .. call.unknown)
        if call.why then
            told:add_proto_expert_info(e.start, "Frames begin at byte " .. call.start .. ": " .. call.why)
        end
    elseif call.rest and call.rest > 0 then
        local rest = math.min(call.rest, tvb:captured_len())
        if rest > 0 then
            tree:add(relay, tvb(0, rest)):append_text(": rest of a frame"):add(f.rest, tvb(0, rest))
        end
    end

    frames(call, tvb, pinfo, tree)
    if call.wants then
        call.wants_message = number_of_control(tvb(call.at, 4):int()) == nil
        ask(pinfo, call.at, call.at + call.wants - size)
    elseif call.at < size and not call.runs_on then
        ask(pinfo, call.at, DESEGMENT_ONE_MORE_SEGMENT)
    end
    if first_pass then
        commit(connection, state, direction(connection, pinfo.dst_port), call, size)
    end
    if call.at == 0 and not call.runs_on then
        return size
    end
    pinfo.private["relay.calls"] = tostring(index)
    if first_pass then
        remembered.used = call.at
        packets[pinfo.number] = packets[pinfo.number] or {}
        packets[pinfo.number][index] = remembered
    end
    pinfo.cols.protocol = "Relay"
    -- Between two calls TLS replaces what is in the column, and TCP fences it.
    local text = pinfo.private["relay.info"]
    text = (text and text .. "; " or "") .. describe(call)
    pinfo.private["relay.info"] = text
    pinfo.cols.info:clear_fence()
    pinfo.cols.info = text
    return size
end

-- A connection on any port is taken by a control frame at a packet's start: HELLO or WELCOME, or one of a length that
-- is hardly met by chance. Plain clients send none: the ports are preferences for them.
local function is_relay(tvb)
    if tvb:captured_len() < HEADER + 5 then
        return false
    end
    local control = number_of_control(tvb(0, 4):int())
    local known = control and CONTROLS[control]
    local length = tvb(4, 4):int()
    if not known or length < known.shortest or length > CONTROL_LIMIT then
        return false
    end
    if control == HELLO then
        local lowest, highest, role = tvb(8, 2):uint(), tvb(10, 2):uint(), tvb(12, 1):uint()
        return lowest >= 1 and highest >= lowest and ROLES[role] ~= nil
    elseif control == WELCOME then
        return tvb(8, 2):uint() >= 1 and POLICIES[tvb(10, 1):uint()] ~= nil
    end
    return known.usual ~= nil and known.usual[length] ~= nil
end

local function heuristic(tvb, pinfo, tree)
    if not is_relay(tvb) then
        return false
    end
    pinfo.conversation = relay
    relay.dissector(tvb, pinfo, tree)
    return true
end

relay:register_heuristic("tcp", heuristic)
function relay.init()
    connections, packets = {}, {}
end

-- What register has added: {table, ports, dissector}.
local registered = {}

local function register()
    for _, old in ipairs(registered) do
        old.dissectors:remove(old.ports, old.dissector)
    end
    registered, roles_of_ports = {}, {}
    local function add(name, ports, dissector)
        if ports ~= "" then
            local dissectors = DissectorTable.get(name)
            dissectors:add(ports, dissector)
            registered[#registered + 1] = {dissectors = dissectors, ports = ports, dissector = dissector}
        end
    end
    local function add_role(role, ports)
        for _, range in ipairs(ports_of(ports)) do
            range.role = role
            roles_of_ports[#roles_of_ports + 1] = range
        end
    end
    for role, ports in ipairs({relay.prefs.subscribe, relay.prefs.publish}) do
        add("tcp.port", ports, relay)
        add_role(role, ports)
    end
    for role, ports in ipairs({relay.prefs.tls_subscribe, relay.prefs.tls_publish}) do
        add("tcp.port", ports, tls_dissector)
        add("tls.port", ports, relay)
        add_role(role, ports)
    end
end

function relay.prefs_changed()
    register()
end

register()

-- Within TLS a heuristic gets each record alone, and cannot ask for the next one: what it finds makes the port known.
relay:register_heuristic("tls", function(tvb, pinfo, tree)
    local control = is_relay(tvb) and number_of_control(tvb(0, 4):int())
    local port = control == HELLO and pinfo.dst_port or control == WELCOME and pinfo.src_port
    if not port or found_ports[port] or role_of_port(port) then
        return false
    end
    found_ports[port] = true
    DissectorTable.get("tls.port"):add(port, relay)
    relay.dissector(tvb, pinfo, tree)
    return true
end)
