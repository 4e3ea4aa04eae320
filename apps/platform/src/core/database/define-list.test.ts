import * as fc from 'fast-check'
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from 'kysely'
import { expect, test } from 'vitest'
import type { Order } from '@grove/contract/page.rules'
import { defineList, type ListPage } from './define-list.ts'
import { BadCursorError } from './keyset.ts'

interface Tree {
  id: string
  height: number
}

interface TreeQuery {
  kind?: string | undefined
  isFelled?: boolean | undefined
  cursor?: string | undefined
  limit?: number | undefined
  sort?: 'height' | 'id' | undefined
  order?: Order | undefined
}

/** A list over rows in memory, and the pages that it requested. */
function listOf(name: string, pages: ListPage<TreeQuery, 'height' | 'id'>[] = []) {
  return defineList({
    name,
    sorts: { height: ['height', 'integer'], id: ['id', 'integer'] },
    sorting: { default: 'height', order: 'desc' },
    tiebreak: ['id', 'integer'],
    filters: {
      kind: (kind) => (kind === '' ? undefined : sql`kind = ${kind}`),
      isFelled: (isFelled) => sql`is_felled = ${isFelled}`,
    },
    keys: (tree, sort) => [String(tree[sort]), tree.id],
    rows: async (trees: readonly Tree[], page: ListPage<TreeQuery, 'height' | 'id'>) => {
      pages.push(page)
      const { sort, direction, after, limit } = page
      const sign = direction === 'asc' ? 1 : -1
      const compare = (one: readonly number[], other: readonly number[]) =>
        sign * ((one[0] ?? 0) - (other[0] ?? 0) || (one[1] ?? 0) - (other[1] ?? 0))
      const key = (tree: Tree) => [Number(tree[sort]), Number(tree.id)]
      const rows = trees
        .toSorted((a, b) => compare(key(a), key(b)))
        .filter(
          (tree) => !after || compare(key(tree), [Number(after.value), Number(after.tiebreak)]) > 0,
        )
        .slice(0, limit)
      return { rows, more: { seen: rows.length } }
    },
  })
}

const compiler = new Kysely<never>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: () => {
      throw new Error('not asked for')
    },
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})
const text = (fragment: RawBuilder<unknown>) => {
  const { sql: words, parameters } = fragment.compile(compiler)
  return [words, ...parameters]
}

const forest = fc
  .array(fc.integer({ min: 0, max: 5 }), { maxLength: 40 })
  .map((heights) => heights.map((height, index) => ({ id: String(index), height })))

test('paging forward and back visits every row once, in list order', async () => {
  const sort = fc.constantFrom('height' as const, 'id' as const)
  const order = fc.constantFrom('asc' as const, 'desc' as const)
  const ask = fc.record({ sort, order, limit: fc.integer({ min: 1, max: 7 }) })
  await fc.assert(
    fc.asyncProperty(forest, ask, async (trees, query) => {
      const list = listOf('tree')
      const { items: all } = await list.read(trees, { ...query, limit: 200 })
      expect(all).toHaveLength(trees.length)
      let page = await list.read(trees, query)
      const forth = [page.items]
      while (page.next !== null) {
        page = await list.read(trees, { ...query, cursor: page.next })
        forth.push(page.items)
      }
      expect(forth.flat()).toEqual(all)
      const back = [page.items]
      while (page.previous !== null) {
        page = await list.read(trees, { ...query, cursor: page.previous })
        back.unshift(page.items)
      }
      expect(back.flat()).toEqual(all)
    }),
  )
})

test('the cursor of another list, sort column or direction is refused', async () => {
  const trees = [1, 2, 3].map((height) => ({ id: String(height), height }))
  const { next } = await listOf('tree').read(trees, { limit: 1 })
  const cursor = next ?? ''
  await expect(listOf('tree').read(trees, { cursor })).resolves.toMatchObject({ seen: 2 })
  for (const [name, query] of [
    ['bush', {}],
    ['tree', { sort: 'id' }],
    ['tree', { order: 'asc' }],
  ] as const)
    await expect(listOf(name).read(trees, { ...query, cursor })).rejects.toThrow(BadCursorError)
})

test('a page passes named filters, also with a cursor, as parameters', async () => {
  const pages: ListPage<TreeQuery, 'height' | 'id'>[] = []
  const list = listOf('tree', pages)
  const trees = [1, 2, 3].map((height) => ({ id: String(height), height }))
  const { next } = await list.read(trees, { limit: 1 })
  await list.read(trees, { kind: "o'ak", isFelled: false, cursor: next ?? '' })
  const { previous } = await list.read(trees, { kind: '', cursor: next ?? '' })
  await list.read(trees, { cursor: previous ?? '' })
  const [first, second, third, fourth] = pages.map(({ where, orderBy }) => [
    text(where('t')),
    text(orderBy()),
  ])
  expect(first).toEqual([['true and true'], ['"height" desc, "id" desc']])
  expect(second?.[0]).toEqual([
    'true and kind = $1 and is_felled = $2 and ("t"."height", "t"."id") < ($3, $4)',
    "o'ak",
    false,
    '3',
    '3',
  ])
  expect(third?.[0]).toEqual(['true and ("t"."height", "t"."id") < ($1, $2)', '3', '3'])
  expect(fourth).toEqual([
    ['true and ("t"."height", "t"."id") > ($1, $2)', '2', '2'],
    ['"height" asc, "id" asc'],
  ])
})
