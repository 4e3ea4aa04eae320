import { Trans, useLingui } from '@lingui/react/macro'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { currentLocale } from '../../ui/i18n/locale.ts'
import { Contents } from './contents.tsx'
import { DocsFrame } from './docs-frame.tsx'
import { GuideBody } from './guide-body.tsx'
import { indexName, type OpenGuide } from './guides.ts'
import styles from './docs.module.css'

/** One guide, or the list of them, with the headings that it has. */
export function GuidePage({ name, open }: { name: string; open: OpenGuide }) {
  const { i18n } = useLingui()
  const router = useRouter()
  const { guide, locale } = open
  useEffect(() => {
    if (i18n.locale !== locale) void router.invalidate()
  }, [i18n.locale, locale, router])
  const isForeign = guide.locale !== currentLocale()
  return (
    <DocsFrame
      current={name}
      contents={name !== indexName && <Contents headings={guide.headings} />}
    >
      <article className={styles.article} lang={guide.locale}>
        {isForeign && (
          <p className={styles.notice} lang={i18n.locale}>
            <Trans>This guide is in English only.</Trans>
          </p>
        )}
        <GuideBody nodes={guide.nodes} />
      </article>
    </DocsFrame>
  )
}
