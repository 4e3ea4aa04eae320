import { expect, test } from 'vitest'
import { isLoopback } from './loopback.ts'

test.each([
  'http://127.0.0.1:3000/Ab3dEfg',
  'http://127.8.0.1/',
  'http://localhost:3000/Ab3dEfg',
  'http://console.localhost/',
  'http://[::1]:3000/?app=1',
])('a phone cannot open %s', (url) => {
  expect(isLoopback(url)).toBe(true)
})

test.each([
  'https://grove.example.com/Ab3dEfg',
  'http://192.168.1.20:3000/Ab3dEfg',
  'https://localhost.example.com/',
  'https://127.0.0.1.example.com/',
])('a phone can open %s', (url) => {
  expect(isLoopback(url)).toBe(false)
})
