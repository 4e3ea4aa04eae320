/** Maximum points from one message, and maximum length of their keys. */
export const maxPointsOfMessage = 64
export const maxKeyLength = 128

/** A reading from further in the future than this has a wrong clock: no time zone and no drift of a minute. */
export const clockAheadMinutes = 5

/** Columns of one chart: a pixel each. */
export const maxColumns = 2000
/** Keys of a device that are listed, and that one chart or file has. */
export const maxKeys = 200
export const maxChartKeys = 8
/** Days that one chart shows. */
export const maxChartDays = 366
