import type { ComponentPropsWithRef } from 'react'
import styles from './rows.module.css'

/** A list within a section: each line starts with a name and ends with states and buttons. */
export const Rows = (props: ComponentPropsWithRef<'ul'>) => (
  <ul className={styles.rows} {...props} />
)
