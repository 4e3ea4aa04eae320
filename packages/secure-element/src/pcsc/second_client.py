"""A second implementation of SCP02 and SCP03, written from the specifications alone.

It shares no code with Grove and drives a card as other programs do: through a PC/SC reader, or over
standard input and output, one command in hex a line. The one argument is JSON; see second-client.ts.
It prints what differs and ends with 1, or one line of what it did and ends with 0.
"""
import json
import os
import sys

from Cryptodome.Cipher import AES, DES, DES3
from Cryptodome.Hash import CMAC

ASKED = json.loads(sys.argv[1])
SCP03 = ASKED["protocol"] == "SCP03"
OPTION = ASKED["option"]
AID = bytes.fromhex(ASKED["aid"])
ENC, MAC, DEK = (bytes.fromhex(key) for key in ASKED["keys"])
BLOCK = 16 if SCP03 else 8
sent = 0


class Different(Exception):
    pass


def expect(what, found, wanted):
    if found != wanted:
        show = lambda value: value.hex().upper() if isinstance(value, bytes) else value
        raise Different(f"{what}: expected {show(wanted)}, found {show(found)}")


def pcsc_transmit():
    from smartcard.System import readers
    from smartcard.util import toBytes

    connection = readers()[0].createConnection()
    connection.connect()

    def transmit(command):
        data, sw1, sw2 = connection.transmit(toBytes(command.hex()))
        return bytes(data), sw1 << 8 | sw2

    return transmit


def pipe_transmit(command):
    print("> " + command.hex(), flush=True)
    reply = bytes.fromhex(sys.stdin.readline().strip())
    return reply[:-2], int.from_bytes(reply[-2:], "big")


transmit = pcsc_transmit() if ASKED["pcsc"] else pipe_transmit


# The logical channel that commands go to: the number in the class byte, which no MAC covers.
number = 0


def send(command):
    global sent
    sent += 1
    return transmit(bytes([command[0] | number]) + command[1:])


def apdu(cla, ins, p1, p2, data=b"", le=True):
    # A command without data and with Le is case 2: five bytes.
    return bytes([cla, ins, p1, p2]) + (bytes([len(data)]) + data if data else b"") + (b"\0" if le else b"")


def pad(data, size):
    padded = data + b"\x80"
    return padded + bytes(-len(padded) % size)


def unpad(data):
    clear = data.rstrip(b"\0")
    if clear[-1:] != b"\x80":
        raise Different(f"padding: {data.hex()}")
    return clear[:-1]


def cmac(key, data):
    return CMAC.new(key, data, ciphermod=AES).digest()


def kdf(key, constant, context, bits):
    made = b""
    for index in range(1, -(-bits // 128) + 1):
        made += cmac(key, bytes(11) + bytes([constant, 0]) + bits.to_bytes(2, "big") + bytes([index]) + context)
    return made[: bits // 8]


def full_3des_mac(key, data, iv=bytes(8)):
    return DES3.new(key, DES3.MODE_CBC, iv).encrypt(pad(data, 8))[-8:]


def retail_mac(key, data, iv=bytes(8)):
    padded = pad(data, 8)
    value = DES.new(key[:8], DES.MODE_CBC, iv).encrypt(padded)[-8:]
    value = DES.new(key[8:16], DES.MODE_ECB).decrypt(value)
    return DES.new(key[:8], DES.MODE_ECB).encrypt(value)


class Channel:
    """SELECT, INITIALIZE UPDATE and EXTERNAL AUTHENTICATE, and then messages at one level."""

    def __init__(self, level, version=0, keys=(ENC, MAC, DEK), le=True, spoil=False):
        self.level = level
        fci, sw = send(apdu(0, 0xA4, 4, 0, AID, le))
        expect("SELECT", sw, 0x9000)
        expect("AID in the FCI", fci[2 : 4 + len(AID)], bytes([0x84, len(AID)]) + AID)
        host = os.urandom(8)
        reply, sw = send(apdu(0x80, 0x50, version, 0, host))
        expect("INITIALIZE UPDATE", sw, 0x9000)
        if version:
            expect("key version", reply[10], version)
        (self.open_scp03 if SCP03 else self.open_scp02)(host, reply, keys)
        if spoil:
            self.host = bytes(8)
        self.version = reply[10]
        _, sw = send(self.wrap(apdu(0x84, 0x82, level, 0, self.host, le), 1))
        self.status = sw
        if not spoil:
            expect(f"EXTERNAL AUTHENTICATE at level {level:02X}", sw, 0x9000)

    def open_scp03(self, host, reply, keys):
        counted = bool(OPTION & 0x10)
        expect("length of the reply", len(reply), 32 if counted else 29)
        expect("protocol and option", reply[11:13], bytes([3, OPTION]))
        challenge, cryptogram, sequence = reply[13:21], reply[21:29], reply[29:]
        enc, mac, self.dek = keys
        if counted:
            expect("challenge", challenge, kdf(enc, 2, sequence + AID, 64))
        context, bits = host + challenge, 8 * len(enc)
        self.enc, self.mac, self.rmac = (kdf(key, number, context, bits) for key, number in ((enc, 4), (mac, 6), (mac, 7)))
        expect("card cryptogram", cryptogram, kdf(self.mac, 0, context, 64))
        self.host = kdf(self.mac, 1, context, 64)
        self.chain, self.counter = bytes(16), 0

    def open_scp02(self, host, reply, keys):
        expect("length of the reply", len(reply), 28)
        expect("protocol", reply[11], 2)
        sequence, challenge, cryptogram = reply[12:14], reply[14:20], reply[20:28]
        derive = lambda key, constant: DES3.new(key, DES3.MODE_CBC, bytes(8)).encrypt(
            bytes.fromhex(constant) + sequence + bytes(12)
        )
        enc, mac, dek = keys
        self.mac, self.enc, self.dek = derive(mac, "0101"), derive(enc, "0182"), derive(dek, "0181")
        if OPTION & 0x40:
            expect("challenge", challenge, retail_mac(self.mac, AID)[:6])
        expect("card cryptogram", cryptogram, full_3des_mac(self.enc, host + sequence + challenge))
        self.host = full_3des_mac(self.enc, sequence + challenge + host)
        self.last = None

    def wrap(self, command, level=None, empty_block=False):
        level = self.level if level is None else level
        if level == 0:
            return command
        has_data = len(command) > 5
        data = command[5 : 5 + command[4]] if has_data else b""
        le = command[5 + len(data) :] if has_data else command[4:]
        header = bytes([command[0] | 4]) + command[1:4]
        if SCP03:
            data = self.encrypt(data, level)
            length = len(data) + 8
            field = bytes([length]) if length < 256 else b"\0" + length.to_bytes(2, "big")
            self.chain = cmac(self.mac, self.chain + header + field + data)
            code = self.chain[:8]
        else:
            iv = DES.new(self.mac[:8], DES.MODE_ECB).encrypt(self.last) if self.last else bytes(8)
            code = self.last = retail_mac(self.mac, header + bytes([len(data) + 8]) + data, iv)
            if level & 2 and (data or empty_block):
                data = DES3.new(self.enc, DES3.MODE_CBC, bytes(8)).encrypt(pad(data, 8))
        return header + bytes([len(data) + 8]) + data + code + le

    def encrypt(self, data, level):
        if not level & 2:
            return data
        self.counter += 1
        if not data:
            return data
        return AES.new(self.enc, AES.MODE_CBC, self.icv(0)).encrypt(pad(data, 16))

    def icv(self, top):
        return AES.new(self.enc, AES.MODE_ECB).encrypt(bytes([top]) + self.counter.to_bytes(15, "big"))

    def unwrap(self, reply, sw):
        if not SCP03 or not self.level & 0x10:
            return reply, sw
        if sw != 0x9000 and sw >> 8 not in (0x62, 0x63):
            expect("data of a refusal", reply, b"")
            return reply, sw
        body, code = reply[:-8], reply[-8:]
        expect("R-MAC", code, cmac(self.rmac, self.chain + body + sw.to_bytes(2, "big"))[:8])
        if self.level & 0x20 and body:
            body = unpad(AES.new(self.enc, AES.MODE_CBC, self.icv(0x80)).decrypt(body))
        return body, sw

    def run(self, ins, p1, p2, data=b"", wanted=0x9000, le=True, **how):
        reply, sw = self.unwrap(*send(self.wrap(apdu(0x80, ins, p1, p2, data, le), **how)))
        expect(f"status word of {ins:02X} {p1:02X} {p2:02X} at level {self.level:02X}", f"{sw:04X}", f"{wanted:04X}")
        return reply

    def chained(self, ins, p1, p2, data):
        """One MAC over the whole command, which is then cut into pieces with b8 of P1 set but for the last."""
        header = bytes([0x84, ins, p1, p2])
        data = self.encrypt(data, self.level)
        length = len(data) + 8
        field = bytes([length]) if length < 256 else b"\0" + length.to_bytes(2, "big")
        self.chain = cmac(self.mac, self.chain + header + field + data)
        whole = data + self.chain[:8]
        pieces = [whole[at : at + 255] for at in range(0, len(whole), 255)]
        for piece in pieces[:-1]:
            _, sw = send(bytes([0x84, ins, p1 | 0x80, p2, 255]) + piece + b"\0")
            expect("status word of a piece", sw, 0x9000)
        last = pieces[-1]
        return self.unwrap(*send(bytes([0x84, ins, p1, p2, len(last)]) + last + b"\0"))


def check_value(key):
    return AES.new(key, AES.MODE_ECB).encrypt(b"\1" * 16)[:3] if SCP03 else DES3.new(key, DES3.MODE_ECB).encrypt(bytes(8))[:3]


def key_block(dek, key, with_length):
    if SCP03:
        hidden = AES.new(dek, AES.MODE_CBC, bytes(16)).encrypt(key + bytes(-len(key) % 16))
    else:
        hidden = DES3.new(dek, DES3.MODE_ECB).encrypt(key)
    content = (bytes([len(key)]) if with_length else b"") + hidden
    return bytes([0x88 if SCP03 else 0x80, len(content)]) + content + b"\3" + check_value(key)


def entries(data):
    """AID, state and privileges of each E3."""
    found, at = [], 0
    while at < len(data):
        expect("tag of an entry", data[at], 0xE3)
        end, at, entry = at + 2 + data[at + 1], at + 2, {}
        while at < end:
            tag = data[at : at + (2 if data[at] & 0x1F == 0x1F else 1)]
            length = data[at + len(tag)]
            at += len(tag) + 1
            entry.setdefault(tag.hex().upper(), data[at : at + length])
            at += length
        found.append(entry)
    return found


def lv(*values):
    return b"".join(bytes([len(value)]) + value for value in values)


PACKAGE, MODULE, INSTANCE = (bytes.fromhex(text) for text in ("D276000188AA01", "D276000188AA0101", "D276000188AA0102"))


def load_file():
    """The least that a card reads of a package: header, applets, imports."""
    component = lambda tag, data: bytes([tag]) + len(data).to_bytes(2, "big") + data
    code = component(1, bytes.fromhex("DECAFFED") + bytes([1, 2, 4, 0, 1]) + lv(PACKAGE))
    code += component(4, b"\1" + bytes([0, 1]) + lv(bytes.fromhex("A0000000620101")))
    code += component(3, b"\1" + lv(MODULE) + bytes(2))
    code += component(7, bytes(700))
    return b"\xC4\x82" + len(code).to_bytes(2, "big") + code


def manage(level, le):
    channel = Channel(level, le=le)
    (issuer,) = entries(channel.run(0xF2, 0x80, 2, b"\x4F\0"))
    expect("AID of the issuer's domain", issuer["4F"], AID)
    expect("issuer's privilege of a domain", issuer["C5"][0] & 0x80, 0x80)
    keys = channel.run(0xCA, 0, 0xE0)
    if bytes([1, channel.version]) not in keys:
        raise Different(f"key information {keys.hex()} names no key 01 of version {channel.version:02X}")
    if not SCP03 and level & 2:
        channel.run(0xCA, 0x9F, 0x7F, empty_block=True)
    # The largest blocks that fit one command.
    most = 239 if level & 2 else 247 if level else 255
    channel.run(0xE6, 2, 0, lv(PACKAGE, AID, b"", b"\xEF\x04\xC6\x02\x03\x00", b""), le=le)
    code = load_file()
    blocks = [code[at : at + most] for at in range(0, len(code), most)]
    for number, block in enumerate(blocks):
        channel.run(0xE8, 0x80 if number == len(blocks) - 1 else 0, number, block, le=le)
    install = lv(PACKAGE, MODULE, INSTANCE, b"\0", b"\xC9\0", b"")
    channel.run(0xE6, 0x0C, 0, install)
    channel.run(0xE6, 0x0C, 0, install, wanted=0x6985)
    found = [each for each in entries(channel.run(0xF2, 0x40, 2, b"\x4F\0")) if each["4F"] == INSTANCE]
    expect("state of the applet", [each["9F70"] for each in found], [b"\7"])
    expect("the domain not among its applications", AID in [each["4F"] for each in entries(channel.run(0xF2, 0x40, 2, b"\x4F\0"))], False)
    modules = [each for each in entries(channel.run(0xF2, 0x10, 2, b"\x4F\0")) if each["4F"] == PACKAGE]
    expect("module of the package", [each["84"] for each in modules], [MODULE])
    channel.run(0xF0, 0x40, 0x80, INSTANCE, le=le)
    channel.run(0xE4, 0, 0, lv_tag(0x4F, PACKAGE), wanted=0x6985)
    channel.run(0xF0, 0x40, 0x00, INSTANCE, le=le)
    channel.run(0xF0, 0x40, 0x83, INSTANCE)
    channel.run(0xF0, 0x40, 0x07, INSTANCE)
    channel.run(0xE4, 0, 0, lv_tag(0x4F, INSTANCE))
    channel.run(0xE4, 0, 0x80, lv_tag(0x4F, PACKAGE))
    channel.run(0xE4, 0, 0x80, lv_tag(0x4F, PACKAGE), wanted=0x6A88)
    if SCP03 and level:
        # Longer than one command: parameters that the applet would get.
        parameters = b"\xC9\x82\x01\x2C" + bytes(300)
        long = lv(PACKAGE, MODULE, INSTANCE, b"\0") + b"\x82" + len(parameters).to_bytes(2, "big") + parameters + b"\0"
        _, sw = channel.chained(0xE6, 0x0C, 0, long)
        expect("chained INSTALL of a package that is not there", f"{sw:04X}", "6A88")
        channel.run(0xF2, 0x80, 2, b"\x4F\0")


def lv_tag(tag, value):
    return bytes([tag]) + lv(value)


def change_keys(level):
    channel = Channel(level)
    version = channel.version ^ 1
    new = [bytes(range(16 * number, 16 * number + len(ENC))) for number in (1, 3, 5)]
    # Some programs send the length of the clear key before it, and some do not; AES-192 needs it.
    for with_length in (True, False) if SCP03 and len(ENC) != 24 else (SCP03,):
        dek = channel.dek if not SCP03 else DEK
        blocks = b"".join(key_block(dek, key, with_length) for key in new)
        reply = channel.run(0xD8, 0, 0x81, bytes([version]) + blocks) if not (
            len(blocks) > 200 and level
        ) else channel.chained(0xD8, 0, 0x81, bytes([version]) + blocks)[0]
        expect("check values", reply, bytes([version]) + b"".join(check_value(key) for key in new))
        with_new = Channel(level, version, tuple(new))
        with_new.run(0xF2, 0x80, 2, b"\x4F\0")
        channel = Channel(level, channel.version)
        channel.run(0xE4, 0, 0, b"\xD2\1" + bytes([version]))
        channel.run(0xE4, 0, 0, b"\xD2\1" + bytes([version]), wanted=0x6A88)
    _, sw = send(apdu(0x80, 0x50, version, 0, bytes(8)))
    expect("deleted keys", f"{sw:04X}", "6A88")


def beside(level):
    """Two secure channels at once, on the basic logical channel and on another."""
    global number
    basic = Channel(level)
    expect("MANAGE CHANNEL", send(bytes.fromhex("0070000001")), (b"\1", 0x9000))
    try:
        number = 1
        other = Channel(level)
        for number, channel in ((1, other), (0, basic), (1, other), (0, basic)):
            (issuer,) = entries(channel.run(0xF2, 0x80, 2, b"\x4F\0"))
            expect(f"AID of the issuer's domain on logical channel {number}", issuer["4F"], AID)
    finally:
        number = 0
    expect("MANAGE CHANNEL that closes", send(bytes.fromhex("00708001")), (b"", 0x9000))
    basic.run(0xF2, 0x80, 2, b"\x4F\0")
    expect("a closed logical channel", send(bytes.fromhex("01A4040000")), (b"", 0x6881))


def attack(level):
    expect("wrong host cryptogram", Channel(level, spoil=True).status, 0x6300)
    _, sw = send(apdu(0x80, 0xF2, 0x80, 2, b"\x4F\0"))
    expect("a command without a channel", f"{sw:04X}", "6982")
    if not level:
        return
    for kind in ("spoilt", "repeated", "unprotected"):
        channel = Channel(level)
        good = channel.wrap(apdu(0x80, 0xF2, 0x80, 2, b"\x4F\0"))
        bad = good[:-2] + bytes([good[-2] ^ 1]) + good[-1:]
        if kind == "repeated":
            _, sw = send(good)
            expect("the command itself", sw, 0x9000)
            bad = good
        if kind == "unprotected":
            bad = apdu(0x80, 0xF2, 0x80, 2, b"\x4F\0")
        _, sw = send(bad)
        expect(f"a {kind} command", f"{sw:04X}", "6982")
        _, sw = send(channel.wrap(apdu(0x80, 0xF2, 0x80, 2, b"\x4F\0")))
        expect(f"the channel after a {kind} command", f"{sw:04X}", "6982")


try:
    for level in ASKED["levels"]:
        manage(level, True)
        manage(level, False)
        change_keys(level)
        beside(level)
        attack(level)
except Different as difference:
    print(f"different: {difference}")
    sys.exit(1)
levels = " ".join(f"{level:02X}" for level in ASKED["levels"])
print(f"levels {levels}: {sent} commands, every reply as expected")
