/** What each column of an import may contain; the column `floor` becomes an attribute. */
export const sampleFile = `id,name,type,state,tags,floor,cplc
gate-0001,North gate,iot,accepted,"north,outdoor",0,
gate-0002,South gate,iot,pending,south,1,
reader-0001,Lobby reader,virtual,,lobby,1,
`
