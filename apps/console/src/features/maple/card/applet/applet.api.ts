import type { AppletInstance, AppletOperation } from '@grove/contract/maple/card/applet-operation'
import type { OperationKind } from '@grove/contract/maple/card/applet-operation.rules'
import { queryOptions } from '@tanstack/react-query'
import { itemsOf } from '../../../../api/items.ts'
import { invalidate } from '../../../../api/query-client.ts'
import { api } from '../../../../session/api.ts'
import type { CommandToken } from '../delegation-files.ts'
import { appletList, appletQuery } from './applet.search.ts'

const path = '/api/maple/applets'

export const applets = {
  list: appletList,
  query: (page: ReturnType<typeof appletList.page>) =>
    api.maple.query(path, { query: appletQuery(page) }),
  ...itemsOf((id) => api.maple.query(path, { query: { id } })),
}

export const impactQuery = (id: string) =>
  api.maple.query('/api/maple/applets/{id}/impact', { params: { id } })

/** The number of versions of a package, and of elements that have it, on its page. */
export const maxShown = 20
export const versionsQuery = (packageAid: string) =>
  api.maple.query(path, { query: { package: packageAid, limit: maxShown } })
export const installedQuery = (id: string) =>
  api.maple.query('/api/maple/applets/{id}/installed', {
    params: { id },
    query: { limit: maxShown },
  })

/** For a file that never changes. */
export const verificationQuery = (id: string) =>
  queryOptions({
    ...api.maple.query('/api/maple/applets/{id}/verification', { params: { id } }),
    staleTime: Infinity,
  })

const liveMs = 700
export const isLive = ({ state }: Pick<AppletOperation, 'state'>): boolean =>
  state === 'queued' || state === 'running'

const operationPath = '/api/maple/applets/operation'

/** The newest operations of an applet, refetched while one runs. */
export const operationsQuery = (applet: string) =>
  queryOptions({
    ...api.maple.query(operationPath, { query: { applet, limit: 5 } }),
    refetchInterval: ({ state: { data } }) => (data?.items.some(isLive) ? liveMs : false),
  })

export const targetsQuery = (id: string, isFollowed: boolean) =>
  queryOptions({
    ...api.maple.query('/api/maple/applets/operation/{id}/target', {
      params: { id },
      query: { limit: 200 },
    }),
    refetchInterval: isFollowed ? liveMs : false,
  })

/** After an operation: refetches what runs, and what is installed where. */
export const refreshOperations = () => invalidate('maple', path)

export interface Choice {
  kind: OperationKind
  elements: string[]
  instances: AppletInstance[] | undefined
  dapDomainAid: string | undefined
  /** The domain on whose behalf it is done; undefined for the issuer's. */
  domain: string | undefined
  tokens: CommandToken[] | undefined
  grantsCardPrivileges: boolean
}

export const preflight = (id: string, { kind, elements, instances, domain }: Choice) =>
  api.maple.post('/api/maple/applets/{id}/preflight', {
    params: { id },
    body: { kind, elements, ...(instances && { instances }), ...(domain && { domain }) },
  })

export const startOperation = (
  id: string,
  { dapDomainAid, domain, tokens, instances, grantsCardPrivileges, ...choice }: Choice,
) =>
  api.maple.post('/api/maple/applets/{id}/operation', {
    params: { id },
    body: {
      ...choice,
      ...(instances && { instances }),
      ...(dapDomainAid && { dapDomainAid }),
      ...(domain && { domain }),
      ...(domain && tokens && { tokens }),
      ...(grantsCardPrivileges && { grantsCardPrivileges }),
    },
  })
