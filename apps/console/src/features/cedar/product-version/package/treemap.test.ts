import { expect, test } from 'vitest'
import { treemap } from './treemap.ts'

const files = (...bytes: number[]) =>
  bytes.map((each, index) => ({ path: `${index}`, bytes: each }))
const areaOf = ({ width, height }: { width: number; height: number }) => width * height

test('the area of each tile is proportional to its file, and together they fill the map', () => {
  const tiles = treemap(files(600, 300, 100), 2)
  expect(tiles.map((tile) => Math.round(areaOf(tile)))).toEqual([6000, 3000, 1000])
  for (const { left, top, width, height } of tiles) {
    expect(left).toBeGreaterThanOrEqual(0)
    expect(left + width).toBeLessThanOrEqual(100.001)
    expect(top + height).toBeLessThanOrEqual(100.001)
  }
})

test('no two tiles overlap', () => {
  const tiles = treemap(files(900, 400, 350, 200, 120, 80, 40, 5, 1), 1.6)
  for (const [index, a] of tiles.entries())
    for (const b of tiles.slice(index + 1)) {
      const isApart =
        a.left + a.width <= b.left + 1e-6 ||
        b.left + b.width <= a.left + 1e-6 ||
        a.top + a.height <= b.top + 1e-6 ||
        b.top + b.height <= a.top + 1e-6
      expect(isApart).toBe(true)
    }
})

test('tiles of equal files are nearly square', () => {
  for (const { width, height } of treemap(files(...Array.from({ length: 12 }, () => 10)), 1)) {
    expect(width / height).toBeGreaterThan(0.4)
    expect(width / height).toBeLessThan(2.5)
  }
})

test('empty files have no tile, and a package of only those has no map', () => {
  expect(treemap(files(5, 0), 1)).toHaveLength(1)
  expect(treemap(files(0, 0), 1)).toEqual([])
})
