import type { Device } from '@grove/contract'
import { queryOptions } from '@tanstack/react-query'
import { ApiProblem } from '../../../api/problem.ts'
import { queryClient } from '../../../api/query-client.ts'
import type { AnswerOf } from '../../../api/types.ts'
import { api } from '../../../session/api.ts'
import { deviceList } from './device.search.ts'

const path = '/api/maple/device'
type Page = AnswerOf<'GET', typeof path>

export const devices = {
  list: deviceList,
  query: (page: ReturnType<typeof deviceList.page>) => api.maple.query(path, { query: page }),
}

/** One device by its id; fails with `not_found` if there is none. */
export const deviceQuery = (id: string) =>
  queryOptions({ ...api.maple.query(path, { query: { id } }), select: deviceOf })

/** The device of a page that an id selected. */
export function deviceOf({ items: [device] }: Page): Device {
  if (!device) throw new ApiProblem({ code: 'not_found' }, 404)
  return device
}

const pageOfOne = (device: Device): Page => ({
  items: [device],
  next: null,
  previous: null,
  isTruncated: false,
})

/** The device as a cached list has it, to show until its own answer arrives. */
export function listedDevice(id: string): Page | undefined {
  const device = queryClient
    .getQueriesData<Page>({ queryKey: ['maple', path] })
    .flatMap(([, page]) => page?.items ?? [])
    .find((each) => each.id === id)
  return device && pageOfOne(device)
}

/** After a change: caches the saved device and refetches everything else. */
export function refreshDevices(changed?: Device) {
  if (!changed) return api.maple.invalidate(path)
  const { queryKey } = deviceQuery(changed.id)
  queryClient.setQueryData(queryKey, pageOfOne(changed))
  return api.maple.invalidate(path, { except: queryKey })
}
