import type { InjectOptions } from 'fastify'
import { sql } from 'kysely'
import { expect } from 'vitest'
import type { TestServer } from './test-platform.ts'

type Query = Record<string, string>
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

interface Page<Item> {
  items: Item[]
  next: string | null
  previous: string | null
}

/** Makes the calls of one resource as one user. */
export function resourceClient<Item extends { id: string }>(
  { app, platform }: TestServer,
  url: `/api/${string}`,
  headers: InjectOptions['headers'],
) {
  const send = (method: Method, query: Query = {}, payload?: object, more: object = {}) =>
    app.inject({
      method,
      url,
      query,
      headers: { ...headers, ...more },
      ...(payload && { payload }),
    })
  const list = async (query: Query = {}): Promise<Page<Item> & { ids: string[] }> => {
    const response = await send('GET', query)
    expect([response.statusCode, response.body]).toEqual([200, response.body])
    const page = response.json<Page<Item>>()
    return { ...page, ids: page.items.map(({ id }) => id) }
  }

  return {
    send,
    list,

    create: async (body: object): Promise<Item> => {
      const response = await send('POST', {}, body)
      expect([response.statusCode, response.body]).toEqual([201, response.body])
      return response.json<Item>()
    },

    /** The status and problem code of a response, and the fields that it names. */
    refusal: async (...request: Parameters<typeof send>) => {
      const response = await send(...request)
      const problem = response.json<{ code: string; errors?: { path: string }[] }>()
      return [response.statusCode, problem.code, ...(problem.errors ?? []).map(({ path }) => path)]
    },

    /** The audit trail of one object, oldest first. */
    eventsOf: async (id: string) => {
      const service = url.split('/')[2]
      const { rows } = await sql<{
        action: string
        actor: string
        before: Item | null
        after: Item
      }>`
        select action, actor, before, after from ${sql.table(`${service}.event`)}
        where subject = ${id} order by id
      `.execute(platform.db)
      return rows
    },

    /** The ids of a list, page by page; verifies that paging back gives the same pages. */
    walk: async (query: Query): Promise<string[]> => {
      const pages = [await list(query)]
      for (let next = pages[0]?.next; next; next = pages.at(-1)?.next)
        pages.push(await list({ ...query, cursor: next }))
      for (const [index, page] of pages.entries())
        if (page.previous !== null)
          expect((await list({ ...query, cursor: page.previous })).ids).toEqual(
            pages[index - 1]?.ids,
          )
      expect(pages[0]?.previous).toBeNull()
      return pages.flatMap(({ ids }) => ids)
    },
  }
}
