import type { Generated, Kysely } from 'kysely'
import type { Device } from '@grove/contract'

export type MapleTables = {
  'maple.device': DeviceTable
  'maple.element': ElementTable
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
  revision: Generated<number>
  created_at: Generated<string>
  updated_at: Generated<string>
}

interface ElementTable {
  cplc: string
  device_id: string | null
  attached_at: string | null
}

export type MapleDb = Kysely<MapleTables>
