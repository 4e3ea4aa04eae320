import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readHex, toHex } from '../bytes.ts'
import { gsmtapPcap } from './gsmtap.ts'

const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678)
const exchanges = [
  { at, command: readHex('00A4040008A00000015100000000'), reply: readHex('6F009000') },
  { at: at + 20, command: readHex('80CA9F7F00'), reply: readHex('6A88') },
  { at: at + 40, command: readHex('80F28002024F00') },
]

test('a pcap file has a header, and a packet of IPv4, UDP and GSMTAP for each exchange', () => {
  const hex = toHex(gsmtapPcap(exchanges.slice(1, 2)))
  expect(hex.slice(0, 48)).toBe('A1B2C3D40002000400000000000000000000FFFF000000E4')
  // Seconds and microseconds, then both lengths.
  expect(hex.slice(48, 80)).toBe('695735A5000AA6900000003300000033')
  expect(hex.slice(80, 120)).toMatch(/^450000330001000040117[0-9A-F]{3}7F0000017F000001$/)
  expect(hex.slice(120, 136)).toBe('12791279001F0000')
  expect(hex.slice(136, 168)).toBe('02040400000000000000000100000000')
  expect(hex.slice(168)).toBe('80CA9F7F006A88')
})

test('Le behind data is left out, and a command without a reply stands alone', () => {
  const [first, , last] = [0, 1, 2].map((index) =>
    toHex(gsmtapPcap(exchanges.slice(index, index + 1))).slice(168),
  )
  expect(first).toBe('00A4040008A0000001510000006F009000')
  expect(last).toBe('80F28002024F00')
})

test('an exchange longer than a packet is cut off, and says how long it was', () => {
  const reply = new Uint8Array(65_538)
  const hex = toHex(gsmtapPcap([{ at, command: readHex('80CA9F7F000000'), reply }]))
  expect(hex.slice(64, 80)).toBe('0000FFFF00010035')
  expect(hex.length / 2).toBe(24 + 16 + 65_535)
})

const hasTshark = spawnSync('tshark', ['--version']).status === 0
test.skipIf(!hasTshark)('Wireshark decodes commands and status words (needs tshark)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gsmtap-'))
  try {
    const file = join(folder, 'trace.pcap')
    writeFileSync(file, gsmtapPcap(exchanges))
    const fields = ['frame.protocols', 'gsm_sim.apdu.ins', 'gsm_sim.apdu.sw', 'ip.checksum.status']
    const { stdout } = spawnSync(
      'tshark',
      [
        '-r',
        file,
        '-o',
        'ip.check_checksum:TRUE',
        '-T',
        'fields',
        ...fields.flatMap((each) => ['-e', each]),
      ],
      { encoding: 'utf8' },
    )
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'))
    expect(rows.map(([protocols]) => protocols)).toEqual(
      exchanges.map(() => 'ip:udp:gsmtap:gsm_sim'),
    )
    expect(rows.map(([, ins]) => ins)).toEqual(['0xa4', '0xca', '0xf2'])
    expect(rows.slice(0, 2).map(([, , word]) => word)).toEqual(['0x9000', '0x6a88'])
    expect(rows.every(([, , , status]) => status === '1')).toBe(true)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
