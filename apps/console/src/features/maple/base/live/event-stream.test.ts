import { describe, expect, test } from 'vitest'
import { createEventReader } from './event-stream.ts'

const text =
  ': alive\r\n\r\nid: 7\nevent: exchange\ndata: {"a":\ndata: 1}\n\ndata: x\r\rid\ndata\n\n'

describe('the parser of an event stream', () => {
  test('reads fields, several lines of data, and ids that stay until the next', () => {
    expect(createEventReader()(text)).toEqual([
      { event: 'exchange', data: '{"a":\n1}', id: '7' },
      { event: 'message', data: 'x', id: '7' },
      { event: 'message', data: '', id: '' },
    ])
  })

  test('reads the same however the text is chunked', () => {
    const whole = createEventReader()(text)
    for (let size = 1; size < text.length; size++) {
      const read = createEventReader()
      const found = []
      for (let at = 0; at < text.length; at += size) found.push(...read(text.slice(at, at + size)))
      expect(found).toEqual(whole)
    }
  })

  test('holds back an event that is incomplete', () => {
    const read = createEventReader()
    expect(read('data: half')).toEqual([])
    expect(read('\n')).toEqual([])
    expect(read('\n')).toEqual([{ event: 'message', data: 'half', id: '' }])
  })
})
