import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { readHex } from '../bytes.ts'
import { gsmtapPcap } from './gsmtap.ts'
import { isPcap, readPcap } from './read-pcap.ts'
import { readTrace } from './read-trace.ts'

const select = '00A4040000'
const fci = '6F108408A000000151000000A5049F6501FF9000'
const cplc = '80CA9F7F00'

// Lines as printed by apdu4j, GPShell, opensc-tool, OpenSC, pcscd, pySim and scriptor.
const traces: [string, string, string][] = [
  [
    'gp',
    'gp',
    `# gp -d -i
SCardConnect("Virtual PCD 00 00", T=*) -> T=1, 3BF81300008131FE
A>> T=1 (4+0000) 00A40400 00
A<< (0018+2) (1s17ms) 6F108408A000000151000000A5049F6501FF 9000
[DEBUG] A>> T=1 (4+0000) 80CA9F7F 00      
[DEBUG] A<< (0000+2) (11ms) 6A88`,
  ],
  [
    'GPShell',
    'gpshell',
    `select
Command --> 00A4040000
Wrapped command --> 00A4040000
Response <-- ${fci}
send_apdu -sc 1 -APDU 80CA9F7F00
Command --> 80CA9F7F00
Wrapped command --> 84CA9F7F080102030405060708
Response <-- 01020304050607086A88
Unwrapped response <-- 6A88
send_APDU() returns 0x80206A88`,
  ],
  [
    'opensc-tool',
    'opensc',
    `Using reader with a card: Virtual PCD 00 00
Sending: 00 A4 04 00 00 
Received (SW1=0x90, SW2=0x00):
6F 10 84 08 A0 00 00 01 51 00 00 00 A5 04 9F 65 o.......Q......e
01 FF                                           ..
Sending: 80 CA 9F 7F 00 
Received (SW1=0x6A, SW2=0x88)`,
  ],
  [
    'the log of OpenSC',
    'opensc',
    `0x7f 12:00:00.1 [opensc-tool] reader-pcsc.c:324:pcsc_transmit: Outgoing APDU (5 bytes):
00 A4 04 00 00 .....
0x7f 12:00:00.2 [opensc-tool] reader-pcsc.c:343:pcsc_transmit: 
Incoming APDU (20 bytes):
6F 10 84 08 A0 00 00 01 51 00 00 00 A5 04 9F 65 o.......Q......e
01 FF 90 00 ....
Outgoing APDU (5 bytes):
80 CA 9F 7F 00 .....
Incoming APDU (2 bytes):
6A 88 j.`,
  ],
  [
    'pcscd',
    'pcsc',
    `00000003 APDU: 00 A4 04 00 00 
00001234 SW: 6F 10 84 08 A0 00 00 01 51 00 00 00 A5 04 9F 65 01 FF 90 00 
00000003 APDU: 80 CA 9F 7F 00 
00001234 SW: 6A 88 `,
  ],
  [
    'pySim',
    'pysim',
    `-- RESET
-> 00a4040000 
<- 9000: 6f108408a000000151000000a5049f6501ff
-> 80ca9f7f00 
<- 6a88: `,
  ],
  [
    'scriptor',
    'other',
    `> 00 A4 04 00 00
< 6F 10 84 08 A0 00 00 01 51 00 00 00 A5 04 9F 65 01 FF 90 00 : Normal processing.
> 80 CA 9F 7F 00
< 6A 88 : Referenced data not found`,
  ],
]

test.each(traces)('a trace of %s is read command by command', (_, tool, text) => {
  const read = readTrace(text)
  expect(read?.tool).toBe(tool)
  expect(read?.exchanges.map(({ command, reply }) => [command, reply])).toEqual([
    [select, fci],
    [cplc, '6A88'],
  ])
  // Windows uses other line endings.
  expect(readTrace(text.replaceAll('\n', '\r\n'))).toEqual(read)
})

test('a command without a reply stands alone, and what has no command is no trace', () => {
  const read = readTrace(
    'A>> T=1 (4+0000) 00A40400 00\nA>> T=1 (4+0000) 80CA9F7F 00\nA<< (0000+2) 6A88',
  )
  expect(read?.exchanges).toEqual([
    { line: 1, command: select },
    { line: 2, command: cplc, reply: '6A88' },
  ])
  for (const text of ['', 'hello', '9F7F2A4790', '80 CA 9F 7F 00', '<- 9000: ', 'a > b < c'])
    expect(readTrace(text)).toBeUndefined()
})

const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678)
const exchanges = [
  { at, command: readHex('00A4040008A00000015100000000'), reply: readHex('6F009000') },
  { at: at + 20, command: readHex(cplc), reply: readHex('6A88') },
  { at: at + 40, command: readHex('80F28002024F0000') },
]
const wanted = [
  { line: 1, at, command: '00A4040008A000000151000000', reply: '6F009000' },
  { line: 2, at: at + 20, command: cplc, reply: '6A88' },
  { line: 3, at: at + 40, command: '80F28002024F00' },
]

test('a pcap file of GSMTAP reads as the exchanges that were written', () => {
  const file = gsmtapPcap(exchanges)
  expect(isPcap(file)).toBe(true)
  expect(readPcap(file)).toEqual({ tool: 'pcap', exchanges: wanted })
  // A truncated file has what came before.
  expect(readPcap(file.subarray(0, -30)).exchanges).toHaveLength(2)
})

const hasEditcap = spawnSync('editcap', ['--version']).status === 0
test.skipIf(!hasEditcap)('what Wireshark saves as pcapng is read too (needs editcap)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pcapng-'))
  try {
    const [from, to] = ['trace.pcap', 'trace.pcapng'].map((name) => join(folder, name))
    writeFileSync(from ?? '', gsmtapPcap(exchanges))
    spawnSync('editcap', ['-F', 'pcapng', from ?? '', to ?? ''])
    const file = new Uint8Array(readFileSync(to ?? ''))
    expect(isPcap(file)).toBe(true)
    expect(readPcap(file).exchanges).toEqual(wanted)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('no text and no file makes the readers fail', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(400), (bytes, cut) => {
      const file = gsmtapPcap(exchanges)
      file.set(bytes.subarray(0, Math.max(0, file.length - 24)), 24)
      readPcap(file.subarray(0, cut))
      readPcap(Uint8Array.from([0x0a, 0x0d, 0x0d, 0x0a, ...bytes]))
    }),
  )
  fc.assert(
    fc.property(
      fc.array(
        fc.constantFrom(
          'A>> (4+0) ',
          'Sending: ',
          '-> ',
          '< ',
          '90 00',
          'Received (SW1=0x',
          '\n',
          ':',
          'zz',
        ),
      ),
      (parts) => void readTrace(parts.join('')),
    ),
  )
})
