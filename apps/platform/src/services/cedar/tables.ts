import type { ColumnType, Generated, Kysely } from 'kysely'
import type { AdminProvider } from '@grove/contract/cedar/provider-admin'
import type { Audience, Notification } from '@grove/contract/cedar/notification'
import type { LocaleCode } from '@grove/contract/locale.rules'
import type { PackageReport } from '@grove/contract/cedar/package-report'
import type { Product } from '@grove/contract/cedar/product'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import type { Provider } from '@grove/contract/cedar/provider'
import type { PushDevice } from '@grove/contract/cedar/push-device'
import type { ProviderLimit } from '@grove/contract/cedar/provider.rules'
import type { IndexedFile } from './package/index-package.ts'

/** Read parsed, written as text: `pg` would take a JavaScript array for a PostgreSQL one. */
type Json<T> = ColumnType<T, string, string>
type NullableJson<T> = ColumnType<T | null, string | null, string | null>
type Timestamp = ColumnType<string, string | undefined, string>
type NullableTimestamp = ColumnType<string | null, string | null | undefined, string | null>

export type CedarTables = {
  'cedar.object': {
    sha256: string
    media_type: string
    bytes: number
    width: number | null
    height: number | null
  }
  'cedar.released_object': {
    id: Generated<number>
    sha256: string
    released_at: Timestamp
    is_announced: Generated<boolean>
  }
  'cedar.provider': {
    id: string
    owner_id: string
    is_default: boolean
    enabled: Generated<boolean>
    stage: Generated<Provider['stage']>
    translations: Json<Provider['translations']>
    icon_sha256: string | null
    auth_provider: string | null
    limits: ColumnType<{ [Limit in ProviderLimit]?: number }, string | undefined, string>
    mini_app_rights: ColumnType<Provider['miniAppRights'], string | undefined, string>
    moby_api_url: string | null
    moby_roles: ColumnType<Provider['mobyRoles'], string | undefined, string>
    fares: ColumnType<AdminProvider['fares'], string | undefined, string>
    sort_name: string
    search_text: string
    product_count: Generated<number>
    revision: Generated<number>
    created_at: Timestamp
    updated_at: Timestamp
  }
  'cedar.provider_key': {
    id: string
    provider_id: string
    hash: string
    last4: string
    name: string | null
    scopes: string[] | null
    created_by: string | null
    last_used_at: NullableTimestamp
    created_at: Timestamp
    ends_at: NullableTimestamp
  }
  'cedar.transfer': {
    id: string
    from_provider: string
    to_provider: string
    user_id: string
    product_ids: string[]
    default_product: string | null
    at: Timestamp
    undone_at: NullableTimestamp
  }
  'cedar.provider_user': { provider_id: string; user_id: string; is_owner: boolean }
  'cedar.product': {
    id: string
    provider_id: string
    translations: Json<Product['translations']>
    sort_title: string
    search_text: string
    icon_sha256: string | null
    is_default: Generated<boolean>
    link_id: string | null
    version_count: Generated<number>
    revision: Generated<number>
    created_at: Timestamp
    updated_at: Timestamp
  }
  'cedar.product_version': {
    id: string
    product_id: string
    major: number
    minor: number
    patch: number
    translations: Json<ProductVersion['translations']>
    search_text: string
    enabled: Generated<boolean>
    enabled_at: NullableTimestamp
    downloaded_at: NullableTimestamp
    checking_since: NullableTimestamp
    package_sha256: string | null
    package_inflated_bytes: number | null
    package_files: number | null
    package_uploaded_at: NullableTimestamp
    package_report: NullableJson<PackageReport>
    refused_report: NullableJson<PackageReport>
    refused_sha256: string | null
    refused_until: NullableTimestamp
    revision: Generated<number>
    created_at: Timestamp
    updated_at: Timestamp
  }
  'cedar.link': {
    id: string
    product_id: string | null
    is_pinned: Generated<boolean>
    version_id: string | null
    target: Generated<string>
    created_at: Timestamp
    removed_at: NullableTimestamp
  }
  'cedar.link_open': { link_id: string; day: string; product_id: string; opens: number }
  'cedar.version_image': {
    id: string
    version_id: string
    locale_code: LocaleCode
    position: number
    sha256: string
    created_at: Timestamp
  }
  'cedar.package_index': { sha256: string; files: Json<IndexedFile[]>; manifest: string | null }
  'cedar.push_device': {
    id: Generated<string>
    product_id: string
    token: string
    platform: PushDevice['platform']
    locale_code: LocaleCode
    app_version: number[]
    is_test: Generated<boolean>
    name: string | null
    registered_at: Timestamp
    seen_at: Timestamp
  }
  'cedar.notification': {
    id: string
    product_id: string
    provider_id: string
    state: Generated<Notification['state']>
    reason: string | null
    translations: Json<Notification['translations']>
    audience: Json<Audience>
    link: string | null
    at: string
    is_scheduled: boolean
    expires_at: string | null
    idempotency_key: string | null
    request_hash: string | null
    job_id: string | null
    transport: string | null
    devices: number | null
    sent: Generated<number>
    delivered: Generated<number>
    opened: Generated<number>
    failed: Generated<number>
    failures: Json<Record<string, number>>
    batch: Generated<number>
    batch_devices: string[] | null
    tried_through: string | null
    is_each_tried: Generated<boolean>
    pauses: Generated<number>
    created_by: string | null
    created_at: Timestamp
    started_at: string | null
    tried_until: string | null
    finished_at: string | null
  }
}

export type CedarDb = Kysely<CedarTables>
