import type { AdminProvider } from '@grove/contract/cedar/provider-admin'
import { locales, type LocaleCode } from '@grove/contract/locale.rules'
import {
  largestLimits,
  maxProviderNameLength,
  maxRealmLength,
  providerLimits,
  type ProviderLimit,
  type ProviderStage,
} from '@grove/contract/cedar/provider.rules'
import { useLingui } from '@lingui/react/macro'
import { PersonField } from '../../../people/person-field.tsx'
import { api } from '../../../session/api.ts'
import { SelectField } from '../../../ui/field/select-field.tsx'
import { codeField, type FormFields } from '../../../ui/form/fields.tsx'
import { CreateItem, type NewItem } from '../../../ui/panel/create-item.tsx'
import { EditItem } from '../../../ui/panel/edit-item.tsx'
import './unknown-user.ts'
import { providers } from './provider.api.ts'
import { useProviderWords } from './provider.labels.tsx'

const megabyte = 1024 * 1024

/** As the form holds them: a limit is text, empty for the stage's default; storage is in MB. */
type ProviderValues = Record<LocaleCode | ProviderLimit | 'authProvider', string> & {
  stage: ProviderStage
}

const newProvider: { name: string; ownerId: string; stage: ProviderStage } = {
  name: '',
  ownerId: '',
  stage: 'DEV',
}

export function CreateProvider(panel: NewItem) {
  const { t } = useLingui()
  return (
    <CreateItem
      {...panel}
      items={providers}
      title={t`New provider`}
      submitLabel={t`Create`}
      savedText={() => t`The provider is created.`}
      fields={{
        name: {
          label: t`Name`,
          hint: t`In every language; you can change each later.`,
          maxLength: maxProviderNameLength,
          autoComplete: 'off',
          problemOf: (name) => (name.trim() === '' ? t`Enter a name.` : undefined),
        },
      }}
      form={{
        values: newProvider,
        submit: ({ name, ownerId, stage }) =>
          api.cedar.post('/api/cedar/provider', {
            body: { name, stage, ...(ownerId.trim() !== '' && { ownerId: ownerId.trim() }) },
          }),
      }}
    >
      {({ values, errors, set }) => (
        <>
          <PersonField
            label={t`Owner (optional)`}
            hint={t`Search by name or email, or paste a user ID. If empty, you are the owner.`}
            value={values.ownerId}
            error={errors['ownerId']}
            isClearable
            onChange={(ownerId) => set({ ownerId })}
          />
          <StageField value={values.stage} onChange={(stage) => set({ stage })} />
        </>
      )}
    </CreateItem>
  )
}

export function EditProvider({ provider, onEnd }: { provider: AdminProvider; onEnd: () => void }) {
  const { t } = useLingui()
  const words = useProviderWords()
  return (
    <EditItem
      items={providers}
      item={provider}
      valuesOf={valuesOf}
      fields={useProviderFields(provider)}
      labels={{ stage: t`Stage` }}
      show={(value, path) =>
        path === 'stage' ? words.stage[value as ProviderStage] : String(value)
      }
      form={{
        submit: (values, _from, ifMatch) =>
          api.cedar.put('/api/admin/provider/{id}', {
            params: { id: provider.id },
            ...ifMatch,
            body: changeOf(values),
          }),
      }}
      onEnd={onEnd}
    >
      {({ values, set }) => (
        <StageField value={values.stage} onChange={(stage) => set({ stage })} />
      )}
    </EditItem>
  )
}

interface StageFieldProps {
  value: ProviderStage
  onChange: (stage: ProviderStage) => void
}

function StageField(props: StageFieldProps) {
  const { t } = useLingui()
  const words = useProviderWords()
  return <SelectField label={t`Stage`} words={words.stage} {...props} />
}

function useProviderFields({ limits, limitsInForce }: AdminProvider) {
  const { t, i18n } = useLingui()
  const labels: Record<ProviderLimit, string> = {
    products: t`Limit of apps`,
    versionsPerProduct: t`Limit of versions of an app`,
    storageBytes: t`Limit of storage in MB`,
    members: t`Limit of members`,
    previewTokensPerHour: t`Hourly limit of previews`,
    notificationsPerDay: t`Daily limit of notifications`,
  }
  const limitField = (limit: ProviderLimit) => {
    const inForce = i18n.number(shownOf(limit, limitsInForce[limit]))
    const most = shownOf(limit, largestLimits[limit])
    return {
      label: labels[limit],
      inputMode: 'numeric' as const,
      autoComplete: 'off',
      hint:
        limits[limit] === null
          ? t`If empty, the stage’s limit applies: ${inForce}.`
          : t`If empty, the stage’s limit applies.`,
      problemOf: (text: string) => {
        if (text.trim() === '' || (/^\d+$/.test(text.trim()) && Number(text) <= most))
          return undefined
        const largest = i18n.number(most)
        return t`Enter a whole number up to ${largest}, or leave it empty.`
      },
    }
  }
  const nameField = (label: string) => ({
    label,
    maxLength: maxProviderNameLength,
    autoComplete: 'off',
    problemOf: (name: string) => (name.trim() === '' ? t`Enter a name.` : undefined),
  })
  return {
    'en-US': nameField(t`Name in English`),
    'ru-RU': nameField(t`Name in Russian`),
    products: limitField('products'),
    versionsPerProduct: limitField('versionsPerProduct'),
    storageBytes: limitField('storageBytes'),
    members: limitField('members'),
    previewTokensPerHour: limitField('previewTokensPerHour'),
    notificationsPerDay: limitField('notificationsPerDay'),
    authProvider: {
      label: t`Authentication provider (optional)`,
      hint: t`The realm that its customers sign in to.`,
      maxLength: maxRealmLength,
      problemOf: (realm: string) =>
        /^[\w.-]*$/.test(realm.trim()) ? undefined : t`Use letters, digits and . _ - only.`,
      ...codeField,
    },
  } satisfies FormFields<ProviderValues>
}

const shownOf = (limit: ProviderLimit, value: number) =>
  limit === 'storageBytes' ? value / megabyte : value

function valuesOf({ translations, limits, stage, authProvider }: AdminProvider): ProviderValues {
  const nameIn = (code: LocaleCode) =>
    (translations.find(({ localeCode }) => localeCode === code) ?? translations[0])?.name ?? ''
  const limitText = (limit: ProviderLimit) => {
    const value = limits[limit]
    return value === null ? '' : String(shownOf(limit, value))
  }
  return {
    'en-US': nameIn('en-US'),
    'ru-RU': nameIn('ru-RU'),
    products: limitText('products'),
    versionsPerProduct: limitText('versionsPerProduct'),
    storageBytes: limitText('storageBytes'),
    members: limitText('members'),
    previewTokensPerHour: limitText('previewTokensPerHour'),
    notificationsPerDay: limitText('notificationsPerDay'),
    stage,
    authProvider: authProvider ?? '',
  }
}

function changeOf(values: ProviderValues) {
  const limitOf = (limit: ProviderLimit) => {
    const text = values[limit].trim()
    if (text === '') return null
    return limit === 'storageBytes' ? Number(text) * megabyte : Number(text)
  }
  return {
    translations: locales.map((localeCode) => ({ localeCode, name: values[localeCode] })),
    stage: values.stage,
    limits: Object.fromEntries(providerLimits.map((limit) => [limit, limitOf(limit)])),
    authProvider: values.authProvider.trim() || null,
  }
}
