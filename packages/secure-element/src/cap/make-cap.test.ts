import { strFromU8, unzipSync, zipSync } from 'fflate'
import { expect, test } from 'vitest'
import { readCapFile } from './cap-file.ts'
import { makeCap, sampleCap } from './make-cap.ts'

test('the sample is read with its names, and is the same bytes each time', () => {
  const made = makeCap(sampleCap)
  expect(readCapFile(made)).toMatchObject({
    name: 'example.ndef',
    aid: 'D27600008501',
    major: 1,
    minor: 0,
    javaCard: '2.2.1',
    applets: [{ aid: 'D2760000850101', name: 'example.ndef.NdefApplet' }],
    signatures: [],
  })
  expect(readCapFile(made).code).toHaveLength(2048)
  expect(makeCap(sampleCap)).toEqual(made)
})

test('every reference of the code names an entry of the constant pool', () => {
  const { aid, name } = sampleCap
  const applets = ['01', '02', '03'].map((end) => ({
    aid: `${aid}${end}`,
    name: `${name}.A${end}`,
  }))
  const files = unzipSync(makeCap({ ...sampleCap, applets }))
  const contentOf = (component: string) =>
    files[`example/ndef/javacard/${component}.cap`]?.subarray(3) ?? new Uint8Array()
  const [methods, places, pool] = [
    contentOf('Method'),
    contentOf('RefLocation'),
    contentOf('ConstantPool'),
  ]
  const count = (pool[0] ?? 0) * 256 + (pool[1] ?? 0)
  expect(count).toBe(10)
  let at = 0
  const named = Array.from(places.subarray(4), (step) => {
    at += step
    return (methods[at] ?? 0) * 256 + (methods[at + 1] ?? 0)
  })
  expect(named).toEqual([0, 1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9])
})

test('signatures are read from where build tools leave them', () => {
  const files = unzipSync(makeCap(sampleCap))
  const signature = Uint8Array.of(1, 2, 3)
  const signed = zipSync({
    ...files,
    'META-INF/dap.rsa.sha256': signature,
    'META-INF/dap.rsa.md5': signature,
  })
  expect(readCapFile(signed).signatures).toEqual([{ name: 'rsa.sha256', signature }])
})

test('a descriptor that is not understood gives no names', () => {
  const files = unzipSync(makeCap(sampleCap))
  for (const descriptor of [
    '',
    '<applet>',
    '<applet-app/>',
    '<applet><applet-AID>//aid/</applet-AID></applet>',
  ])
    expect(
      readCapFile(
        zipSync({ ...files, 'APPLET-INF/applet.xml': new TextEncoder().encode(descriptor) }),
      ).applets[0],
    ).not.toHaveProperty('name')
  expect(strFromU8(files['APPLET-INF/applet.xml'] ?? new Uint8Array())).toContain('NdefApplet')
})
