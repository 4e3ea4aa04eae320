export interface Tile<T> {
  item: T
  /** In per cent of the map's width and height. */
  left: number
  top: number
  width: number
  height: number
}

interface Weighted {
  bytes: number
}

/**
 * A squarified treemap (Bruls, Huizing and van Wijk, 2000): the area of a tile is proportional to its
 * item, and tiles are as square as possible. `ratio` is the map's width over its height. Items must
 * be sorted largest first.
 */
export function treemap<T extends Weighted>(items: readonly T[], ratio: number): Tile<T>[] {
  const total = items.reduce((sum, { bytes }) => sum + bytes, 0)
  if (total === 0) return []
  const tiles: Tile<T>[] = []
  // An area in which one unit is as wide as it is high.
  const free = { left: 0, top: 0, width: ratio, height: 1 }
  const areaOf = ({ bytes }: T) => (bytes / total) * ratio
  let rest = items.filter(({ bytes }) => bytes > 0)
  while (rest.length > 0) {
    const side = Math.min(free.width, free.height)
    let count = 1
    while (
      count < rest.length &&
      worst(rest.slice(0, count + 1).map(areaOf), side) <=
        worst(rest.slice(0, count).map(areaOf), side)
    )
      count += 1
    const row = rest.slice(0, count)
    rest = rest.slice(count)
    const area = row.reduce((sum, item) => sum + areaOf(item), 0)
    const isColumn = free.width >= free.height
    const depth = area / side
    let along = isColumn ? free.top : free.left
    for (const item of row) {
      const length = (areaOf(item) / area) * side
      const place = isColumn
        ? { left: free.left, top: along, width: depth, height: length }
        : { left: along, top: free.top, width: length, height: depth }
      along += length
      tiles.push({
        item,
        left: (place.left / ratio) * 100,
        top: place.top * 100,
        width: (place.width / ratio) * 100,
        height: place.height * 100,
      })
    }
    if (isColumn) {
      free.left += depth
      free.width -= depth
    } else {
      free.top += depth
      free.height -= depth
    }
  }
  return tiles
}

/** The worst aspect ratio of any tile, if these areas share a row along a side. */
function worst(areas: readonly number[], side: number): number {
  const sum = areas.reduce((total, area) => total + area, 0)
  const [least, most] = [Math.min(...areas), Math.max(...areas)]
  return Math.max((side ** 2 * most) / sum ** 2, sum ** 2 / (side ** 2 * least))
}
