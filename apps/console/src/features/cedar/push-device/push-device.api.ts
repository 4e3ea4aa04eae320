import type { PushDevice } from '@grove/contract/cedar/push-device'
import { infiniteQueryOptions } from '@tanstack/react-query'
import { api } from '../../../session/api.ts'

const path = '/api/notification/device'

export const devicePages = (productId: string, isTest: boolean | undefined) => {
  const query = { productId, ...(isTest !== undefined && { isTest }) }
  return infiniteQueryOptions({
    queryKey: ['cedar', path, { query }] as const,
    queryFn: ({ pageParam, signal }) =>
      api.cedar.get(path, {
        query: { ...query, limit: 25, ...(pageParam !== null && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
}

export const markDevice = ({ id }: PushDevice, body: { isTest: boolean; name?: string | null }) =>
  api.cedar.put(`${path}/{id}`, { params: { id }, body })

export const refreshDevices = () => api.cedar.invalidate(path)
