import type { Generated, Kysely } from 'kysely'
import type { Device } from '@grove/contract/maple/fleet/device'
import type { ElementState } from '@grove/contract/maple/fleet/element.rules'

export type MapleTables = {
  'maple.device': DeviceTable
  'maple.element': ElementTable
  'maple.profile': { id: string }
}

interface DeviceTable {
  id: string
  name: string
  name_key: string
  type: Device['type']
  state: Device['state']
  /** The year 1 for a device that was never seen. */
  last_seen_at: Generated<string>
  inner_id: string | null
  account_id: string | null
  service_id: string | null
  product_id: Generated<string | null>
  proven_at: Generated<string | null>
  tags: string[]
  attributes: string
  revision: Generated<number>
  created_at: Generated<string>
  updated_at: Generated<string>
}

interface ElementTable {
  cplc: string
  device_id: string | null
  attached_at: string | null
  state: Generated<ElementState>
  profile_id: Generated<string | null>
  service_id: Generated<string | null>
  has_hsm: Generated<boolean>
  revision: Generated<number>
  updated_at: Generated<string>
}

export type MapleDb = Kysely<MapleTables>
