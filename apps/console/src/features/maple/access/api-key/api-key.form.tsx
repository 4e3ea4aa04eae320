import type { ApiKey, NewApiKey } from '@grove/contract/cedar/api-key'
import type { Provider } from '@grove/contract/cedar/provider'
import { apiKeyDays, maxApiKeyNameLength } from '@grove/contract/cedar/api-key.rules'
import { apiKeyOverlapHours } from '@grove/contract/cedar/moby-api.rules'
import { stageRights } from '@grove/contract/maple/access/right.rules'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useRef, useState } from 'react'
import { api } from '../../../../session/api.ts'
import { SecretDialog } from '../../../../ui/dialog/secret-dialog.tsx'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import { CreateItem, type NewItem } from '../../../../ui/panel/create-item.tsx'
import { useRightWords } from '../right.labels.ts'
import { apiKeys } from '../keys/api-keys.ts'
import styles from './api-key.module.css'

interface NewKey extends NewItem {
  provider: Provider
  /** The key that the new one replaces. */
  replaces: ApiKey | undefined
}

const reads = stageRights.filter((right) => right.endsWith('.read'))

/** The form for a new key, then the key itself, which is shown only once. */
export function CreateApiKey({ provider, replaces, ...panel }: NewKey) {
  const { t } = useLingui()
  const words = useRightWords()
  const items = apiKeys(provider.id)
  const made = useRef<NewApiKey>(undefined)
  const [shown, setShown] = useState<NewApiKey>()
  const lifetimes: Record<string, string> = {
    ...Object.fromEntries(
      apiKeyDays.map((days) => [days, plural(days, { one: '# day', other: '# days' })]),
    ),
    none: t`No expiry`,
  }
  if (shown)
    return (
      <SecretDialog
        title={t`API key “${shown.name}”`}
        text={t`Copy the key now and store it with your other secrets. A program sends it as “Authorization: Bearer …”. Grove does not show it again.`}
        secret={shown.key}
        onClose={() => panel.onCreated(shown.id)}
      />
    )
  return (
    <CreateItem
      {...panel}
      onCreated={() => setShown(made.current)}
      items={{ ...items, list: { name: `${items.list.name} ${replaces?.id ?? ''}` } }}
      title={replaces ? t`Replace a key` : t`New key`}
      submitLabel={t`Create`}
      savedText={() => t`The key is created.`}
      fields={{
        name: {
          label: t`Name`,
          hint: replaces
            ? t`The key “${replaces.name}” stays valid for ${apiKeyOverlapHours} more hours.`
            : t`Where it is used, such as “Test bench”`,
          maxLength: maxApiKeyNameLength,
          problemOf: (text) => (text.trim() === '' ? t`Enter a name.` : undefined),
        },
      }}
      form={{
        values: {
          name: replaces?.name ?? '',
          scopes: replaces?.scopes ?? [],
          lifetime: String(apiKeyDays[1]),
        },
        check: ({ scopes }) => (scopes.length === 0 ? { scopes: t`Choose a scope.` } : {}),
        submit: async ({ name, scopes, lifetime }) => {
          made.current = await api.cedar.post('/api/provider/{id}/key', {
            params: { id: provider.id },
            body: {
              name,
              scopes,
              expiresInDays: lifetime === 'none' ? null : Number(lifetime),
              ...(replaces && { replaces: replaces.id }),
            },
          })
          return { ...made.current, id: made.current.id }
        },
      }}
    >
      {({ values, set, errors }) => (
        <>
          <SelectField
            label={t`Expires after`}
            value={values.lifetime}
            words={lifetimes}
            onChange={(lifetime) => set({ lifetime })}
          />
          <fieldset className={styles.scopes}>
            <legend>{t`Scopes`}</legend>
            <p>
              <button
                type="button"
                className="button"
                onClick={() => set({ scopes: [...stageRights] })}
              >
                {t({ message: 'All', context: 'scopes of a key' })}
              </button>{' '}
              <button type="button" className="button" onClick={() => set({ scopes: reads })}>
                {t`Reading only`}
              </button>
            </p>
            {stageRights.map((right) => (
              <label key={right}>
                <input
                  type="checkbox"
                  checked={values.scopes.includes(right)}
                  onChange={({ target }) =>
                    set({
                      scopes: stageRights.filter((each) =>
                        each === right ? target.checked : values.scopes.includes(each),
                      ),
                    })
                  }
                />
                <span>
                  {words[right]} <code className="muted">{right}</code>
                </span>
              </label>
            ))}
            {errors['scopes'] && <p className="field-error">{errors['scopes']}</p>}
          </fieldset>
        </>
      )}
    </CreateItem>
  )
}
