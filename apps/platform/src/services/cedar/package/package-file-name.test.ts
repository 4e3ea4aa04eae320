import { describe, expect, it } from 'vitest'
import { contentDisposition, packageFileName } from './package-file-name.ts'

describe('the name of a downloaded package', () => {
  it('is the title and the version', () => {
    expect(packageFileName('Tide Table', '1.1.0')).toBe('Tide Table - v1.1.0.zip')
  })

  it('keeps Cyrillic and emoji', () => {
    expect(packageFileName('Сад привычек 🌱', '2.0.0')).toBe('Сад привычек 🌱 - v2.0.0.zip')
  })

  it.each([
    ['../../etc/passwd', 'etc passwd - v1.zip'],
    ['a\\b:c*d?e"f<g>h|i', 'a b c d e f g h i - v1.zip'],
    ['line\r\nbreak\u0000', 'line break - v1.zip'],
    ['photo\u202egpj.exe', 'photo gpj.exe - v1.zip'],
    ['.hidden', 'hidden - v1.zip'],
    ['/', 'mini-app - v1.zip'],
    ['', 'mini-app - v1.zip'],
    ['lone \ud800 half', 'lone half - v1.zip'],
  ])('loses characters that a file system or a header cannot hold: %j', (title, name) => {
    expect(packageFileName(title, '1')).toBe(name)
  })

  it('truncates a title of 10,000 characters between characters', () => {
    const name = packageFileName('🌱'.repeat(10_000), '1.0.0')
    expect(Array.from(name).length).toBe(120 + ' - v1.0.0.zip'.length)
    expect(name.isWellFormed()).toBe(true)
  })
})

describe('the Content-Disposition header', () => {
  it('contains a plain name in both forms', () => {
    expect(contentDisposition('Tide Table - v1.zip')).toBe(
      `attachment; filename="Tide Table - v1.zip"; filename*=UTF-8''Tide%20Table%20-%20v1.zip`,
    )
  })

  it.each([
    'Сад привычек - v1.zip',
    '🌱 - v1.zip',
    `it's (50%) "quoted" \\ * - v1.zip`,
    'a\r\nb: c',
  ])('is ASCII, one line, and decodes to the name: %j', (name) => {
    const header = contentDisposition(name)
    expect(header).toMatch(/^attachment; filename="[^"\\%]*"; filename\*=UTF-8''[\w.~!#$&+^`|%-]+$/)
    expect(header).toMatch(/^[\x20-\x7e]+$/)
    expect(decodeURIComponent(header.split("UTF-8''")[1] ?? '')).toBe(name)
  })

  it('survives half of a surrogate pair', () => {
    expect(contentDisposition('\ud800.zip')).toContain(`filename*=UTF-8''%EF%BF%BD.zip`)
  })
})
