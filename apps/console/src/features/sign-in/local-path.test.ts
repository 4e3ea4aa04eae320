import { expect, test } from 'vitest'
import { localPath } from './local-path.ts'

test.each(['/dashboard', '/dashboard/maple/devices?type=iot&sort=name#row', '/a%2F%2Fb'])(
  'a page of the console is kept: %s',
  (path) => expect(localPath(path)).toBe(path),
)

test.each([
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/..//evil.example',
  '/a/../..//evil.example',
  'javascript:alert(1)',
  'dashboard',
  '',
  undefined,
  42,
  ['/dashboard'],
])('anything else is dropped: %s', (value) => expect(localPath(value)).toBeUndefined())

test.each(['/login', '/login?from=/dashboard', '/signup'])(
  'the sign-in pages are not pages to return to: %s',
  (path) => expect(localPath(path)).toBeUndefined(),
)
