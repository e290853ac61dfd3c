import{A as e,C as t,M as n,S as r,X as i,b as a,et as o,gt as s,it as c,mt as l,rt as u,t as d,ut as f,w as p,y as m,yt as h}from"./paged-Dlq-3CUI.js";import{M as g,d as _,f as v,k as y,p as b,w as x}from"./index-DM77B0L_.js";var S=h(s(),1);i(`
  fragment TokenItem on Token {
    id
    name
    role
    author {
      id
      name
    }
    createdAt
    expiresAt
    revokedAt
  }
`);var C=i(`
  query Tokens($first: Int, $after: String) {
    tokens(first: $first, after: $after) {
      nodes {
        ...TokenItem
      }
      pageInfo {
        ...Following
      }
    }
  }
`),w=i(`
  query TokenAuthors {
    authors(first: 100) {
      nodes {
        id
        slug
        name
      }
    }
  }
`),T=i(`
  mutation CreateToken($input: CreateTokenInput!) {
    createToken(input: $input) {
      token {
        ...TokenItem
      }
      secret
      userErrors {
        message
      }
    }
  }
`),E=i(`
  mutation RevokeToken($input: RevokeTokenInput!) {
    revokeToken(input: $input) {
      token {
        ...TokenItem
      }
      userErrors {
        message
      }
    }
  }
`);i(`
  fragment WebhookItem on Webhook {
    id
    url
    state
    digestSeconds
    types
    actions
    tagSlugs
    categorySlugs
    authorSlugs
    languages
    createdAt
    nextAttemptAt
  }
`);var D=i(`
  query Webhooks {
    webhooks {
      ...WebhookItem
    }
  }
`),ee=i(`
  query OneWebhook($id: ID!) {
    node(id: $id) {
      id
      ... on Webhook {
        ...WebhookItem
        deliveries {
          at
          messageId
          outcome
          status
          attempt
          durationMilliseconds
          skipped
        }
      }
    }
  }
`),te=i(`
  mutation CreateWebhook($input: CreateWebhookInput!) {
    createWebhook(input: $input) {
      webhook {
        ...WebhookItem
      }
      secret
      userErrors {
        message
      }
    }
  }
`),O=i(`
  mutation UpdateWebhook($input: UpdateWebhookInput!) {
    updateWebhook(input: $input) {
      webhook {
        ...WebhookItem
      }
      userErrors {
        message
      }
    }
  }
`),ne=i(`
  mutation DeleteWebhook($input: DeleteWebhookInput!) {
    deleteWebhook(input: $input) {
      deletedId
      userErrors {
        message
      }
    }
  }
`),re=i(`
  mutation RotateWebhookSecret($input: RotateWebhookSecretInput!) {
    rotateWebhookSecret(input: $input) {
      secret
      userErrors {
        message
      }
    }
  }
`),k=i(`
  mutation TestWebhook($input: TestWebhookInput!) {
    testWebhook(input: $input) {
      webhook {
        id
      }
      userErrors {
        message
      }
    }
  }
`),A=i(`
  mutation ReplayWebhook($input: ReplayWebhookInput!) {
    replayWebhook(input: $input) {
      webhook {
        id
      }
      userErrors {
        message
      }
    }
  }
`);i(`
  fragment LogItem on AuditLogEntry {
    id
    actions
    occurredAt
    actor {
      kind
      name
    }
    ... on ContentAuditLogEntry {
      nodeId
      nodeType
      slug
      path
      node {
        id
        ... on Post {
          title
        }
        ... on Page {
          title
        }
        ... on Term {
          name
        }
      }
    }
    ... on TokenAuditLogEntry {
      token {
        id
        name
      }
    }
    ... on WebhookAuditLogEntry {
      webhook {
        id
        url
      }
    }
  }
`);var ie=i(`
  query AuditLog($first: Int, $after: String) {
    auditLog(first: $first, after: $after) {
      nodes {
        ...LogItem
      }
      pageInfo {
        ...Following
      }
    }
  }
`),j=c(),ae={"":`Everything`,Post:`Posts`,Page:`Pages`,term:`Terms`,access:`Tokens and preview links`},M={CREATED:`created`,UPDATED:`changed`,RENAMED:`renamed`,SCHEDULED:`scheduled`,PUBLISHED:`published`,UNPUBLISHED:`unpublished`,DELETED:`deleted`,REVOKED:`revoked`};function oe(){let[e,t]=(0,S.useState)(``),[n,r]=(0,S.useState)(``),i=t=>(e===``||F(t)===e)&&L(t).includes(n.trim().toLowerCase());return(0,j.jsxs)(j.Fragment,{children:[(0,j.jsxs)(`div`,{className:`panel admin-form`,role:`search`,"aria-label":`The loaded entries`,children:[(0,j.jsx)(_,{label:`Of`,children:n=>(0,j.jsx)(`select`,{...n,value:e,onChange:({target:e})=>t(e.value),children:Object.entries(ae).map(([e,t])=>(0,j.jsx)(`option`,{value:e,children:t},e))})}),(0,j.jsx)(_,{label:`With the words`,hint:`In names, addresses and what was done, of the entries below; “Show more” loads older ones.`,children:e=>(0,j.jsx)(`input`,{...e,type:`search`,value:n,onChange:({target:e})=>r(e.value)})})]}),(0,j.jsx)(`section`,{className:`post-group`,"aria-label":`Entries`,children:(0,j.jsx)(d,{query:ie,asked:{},connectionOf:e=>e.auditLog,empty:(0,j.jsx)(m,{children:`Nothing has been changed yet.`}),children:e=>{let t=e.filter(i);return t.length===0?(0,j.jsxs)(`p`,{className:`hint none`,children:[`None of these `,e.length,` entries matches.`]}):(0,j.jsx)(`ol`,{className:`items log`,children:t.map(e=>(0,j.jsx)(se,{entry:e},e.id))})}})})]})}function se({entry:e}){let t=R(e),n=I(e);return(0,j.jsxs)(`li`,{children:[t===null?(0,j.jsx)(`span`,{className:`name`,children:n}):(0,j.jsx)(u,{to:t,children:n}),(0,j.jsx)(`span`,{className:`badge plain`,children:P(e)}),(0,j.jsxs)(`span`,{className:`count`,children:[g(e.actions.map(e=>M[e]??e.toLowerCase())),` by `,N(e),`, `,(0,j.jsx)(x,{at:e.occurredAt})]})]})}function N({actor:e}){return e?y(e):`the server`}function P(e){return`nodeType`in e?e.nodeType.toLowerCase():`webhook`in e?`webhook`:`token`in e?`token`:`preview links`}function F(e){return`nodeType`in e?e.nodeType===`Post`||e.nodeType===`Page`?e.nodeType:`term`:`access`}function I(e){if(`webhook`in e)return e.webhook?.url??`A webhook`;if(!(`nodeType`in e))return`token`in e?e.token?.name??`An access token`:`All preview links`;let{node:t,path:n,slug:r,nodeId:i}=e;return t&&`title`in t?t.title:t&&`name`in t?t.name:n??r??i}function L(e){let t=`nodeType`in e?e.path??e.slug??``:``,n=e.actions.map(e=>M[e]??e).join(` `);return`${I(e)} ${t} ${P(e)} ${n} ${N(e)}`.toLowerCase()}function R(e){return!(`node`in e)||!e.node||!(`title`in e.node)?null:e.nodeType===`Page`?l.editPage(e.node.id):l.edit(e.node.id)}function z({title:e,secret:t,hint:n,onKept:r}){let i=(0,S.useRef)(null);return(0,S.useEffect)(()=>i.current?.focus(),[t]),(0,j.jsxs)(`section`,{className:`panel secret`,"aria-label":e,children:[(0,j.jsx)(`h2`,{ref:i,tabIndex:-1,children:e}),(0,j.jsx)(`p`,{children:n}),(0,j.jsx)(`p`,{className:`preview-link`,children:(0,j.jsx)(`code`,{children:t})}),(0,j.jsxs)(`p`,{className:`actions`,children:[(0,j.jsx)(B,{text:t}),(0,j.jsx)(`button`,{type:`button`,className:`button quiet`,onClick:r,children:`I have kept it`})]})]})}function B({text:e,name:t=`Copy it`}){let[n,r]=(0,S.useState)(``);if(!(`clipboard`in navigator))return null;let i=()=>navigator.clipboard.writeText(e).then(()=>r(e));return(0,j.jsx)(`button`,{type:`button`,className:`button`,onClick:()=>void i(),children:n===e?`Copied`:t})}var V={READER:`Reader: reads drafts`,AUTHOR:`Author: writes the posts of one author`,EDITOR:`Editor: writes all posts, pages and series`,ADMIN:`Admin: everything`};function H(){let[e,t]=(0,S.useState)(null),[n,r]=(0,S.useState)(0),[i,a]=(0,S.useState)(``);return(0,j.jsxs)(j.Fragment,{children:[e?(0,j.jsx)(z,{title:`The token “${e.name}”`,secret:e.secret,hint:`It is shown only now. If it is lost, revoke the token and create another.`,onKept:()=>t(null)}):null,(0,j.jsx)(W,{onCreated:(e,n)=>{t({name:e,secret:n}),a(``),r(e=>e+1)}},`new ${n}`),(0,j.jsx)(`p`,{role:`status`,className:`said`,children:i}),(0,j.jsx)(`section`,{className:`post-group`,"aria-label":`Tokens`,children:(0,j.jsx)(d,{query:C,asked:{},connectionOf:e=>e.tokens,empty:(0,j.jsx)(m,{children:`There are none yet.`}),children:e=>(0,j.jsx)(`ul`,{className:`items`,children:e.map(e=>(0,j.jsx)(U,{token:e,onRevoked:()=>a(`${e.name} is revoked.`)},e.id))})})},n)]})}function U({token:e,onRevoked:t}){let{viewer:r}=n(),{ask:i,problem:a,isBusy:o}=b(),[s]=(0,S.useState)(()=>Date.now()),{id:c,name:l,role:u,author:d,createdAt:f,expiresAt:p,revokedAt:m}=e,h=p!=null&&Date.parse(p)<=s,g=r?.kind===`TOKEN`&&r.name===l,_=async()=>{let e=g?`You are signed in with it, so this signs you out.`:`Who has it loses access at once.`;window.confirm(`Revoke “${l}”? ${e} This cannot be undone.`)&&await i(E,{input:{id:c}},e=>e.revokeToken)&&t()};return(0,j.jsxs)(`li`,{children:[(0,j.jsx)(`span`,{className:`name`,children:l}),(0,j.jsxs)(`span`,{className:`count`,children:[u.toLowerCase(),d?`: ${d.name}`:``,`, created `,(0,j.jsx)(x,{at:f}),p==null||h?null:(0,j.jsxs)(j.Fragment,{children:[`, until `,(0,j.jsx)(x,{at:p})]})]}),g?(0,j.jsx)(`span`,{className:`badge`,children:`yours`}):null,m==null&&h?(0,j.jsx)(`span`,{className:`badge off`,children:`expired`}):null,m==null?(0,j.jsxs)(`button`,{type:`button`,className:`button quiet bad`,disabled:o,onClick:()=>void _(),children:[`Revoke`,(0,j.jsxs)(`span`,{className:`unseen`,children:[` `,l]})]}):(0,j.jsxs)(`span`,{className:`badge off`,children:[`revoked `,(0,j.jsx)(x,{at:m})]}),(0,j.jsx)(`p`,{className:`problem`,role:`alert`,children:a})]})}function W({onCreated:e}){let{ask:t,problem:n,setProblem:r,isBusy:i}=b(),[a,s]=(0,S.useState)({name:``,role:`EDITOR`,authorSlug:``,lastDay:``}),[{data:c}]=o({query:w,variables:{},pause:a.role!==`AUTHOR`}),l=async n=>{n.preventDefault();let{name:i,role:o,authorSlug:s,lastDay:c}=a,l=c===``?null:new Date(`${c}T23:59:59`);if(l&&!(l.getTime()>Date.now()))return r(`Choose a day that has not passed.`);let u={name:i,role:o,...o===`AUTHOR`&&{authorSlug:s},...l&&{expiresAt:l.toISOString()}},d=await t(T,{input:u},e=>e.createToken);d?.secret!=null&&e(i,d.secret)};return(0,j.jsxs)(`form`,{className:`panel admin-form`,"aria-label":`New token`,onSubmit:e=>void l(e),noValidate:!0,children:[(0,j.jsx)(_,{label:`Name`,hint:`Whose it is, or what uses it. The versions of posts show it.`,children:e=>(0,j.jsx)(`input`,{...e,value:a.name,autoComplete:`off`,onChange:({target:e})=>s({...a,name:e.value})})}),(0,j.jsx)(_,{label:`Role`,children:e=>(0,j.jsx)(`select`,{...e,value:a.role,onChange:({target:e})=>s({...a,role:e.value}),children:Object.entries(V).map(([e,t])=>(0,j.jsx)(`option`,{value:e,children:t},e))})}),a.role===`AUTHOR`?(0,j.jsx)(_,{label:`Author`,children:e=>(0,j.jsxs)(`select`,{...e,value:a.authorSlug,onChange:({target:e})=>s({...a,authorSlug:e.value}),children:[(0,j.jsx)(`option`,{value:``,children:`Choose one`}),(c?.authors.nodes??[]).map(({slug:e,name:t})=>(0,j.jsx)(`option`,{value:e,children:t},e))]})}):null,(0,j.jsx)(_,{label:`Last day`,hint:`If it is empty, it never expires.`,children:e=>(0,j.jsx)(`input`,{...e,type:`date`,value:a.lastDay,onChange:({target:e})=>s({...a,lastDay:e.value})})}),(0,j.jsx)(`p`,{className:`problem`,role:`alert`,children:n}),(0,j.jsx)(`p`,{className:`actions`,children:(0,j.jsx)(`button`,{type:`submit`,className:`button main`,disabled:i,children:`Create the token`})})]})}var G={url:``,digestSeconds:0,types:[],actions:[],tagSlugs:[],categorySlugs:[],authorSlugs:[],languages:[]},K={POST:`Posts`,PAGE:`Pages`,CATEGORY:`Categories`,TAG:`Tags`,AUTHOR:`Authors`,SERIES:`Series`},q={CREATED:`Created`,UPDATED:`Updated`,RENAMED:`Renamed`,PUBLISHED:`Published`,UNPUBLISHED:`Unpublished`,DELETED:`Deleted`},J=[[`tagSlugs`,`Of these tags`],[`categorySlugs`,`Of these categories`],[`authorSlugs`,`Of these authors`],[`languages`,`In these languages`]];function Y({label:e,action:t,start:n,asked:r,onSave:i}){let[a,o]=(0,S.useState)(n),[s,c]=(0,S.useState)(n.digestSeconds>0),[l,u]=(0,S.useState)(()=>Object.fromEntries(J.map(([e])=>[e,n[e].join(`, `)])));return(0,j.jsxs)(`form`,{className:`panel admin-form`,"aria-label":e,onSubmit:e=>{e.preventDefault();let t=Object.fromEntries(J.map(([e])=>[e,ce(l[e]??``)]));i({...a,...t,digestSeconds:s?a.digestSeconds:0})},noValidate:!0,children:[(0,j.jsx)(_,{label:`Address`,hint:`An https address of the public Internet, unless the operator allows others.`,children:e=>(0,j.jsx)(`input`,{...e,type:`url`,value:a.url,placeholder:`https://`,onChange:({target:e})=>o({...a,url:e.value})})}),(0,j.jsx)(_,{label:`Messages`,hint:s?`One message for all changes since the last: for builds.`:`For caches and copies.`,children:e=>(0,j.jsxs)(`select`,{...e,value:s?`digest`:`each`,onChange:({target:e})=>{c(e.value===`digest`),a.digestSeconds===0&&o({...a,digestSeconds:60})},children:[(0,j.jsx)(`option`,{value:`each`,children:`One for each change`}),(0,j.jsx)(`option`,{value:`digest`,children:`A digest`})]})}),s?(0,j.jsx)(_,{label:`Seconds between two messages`,hint:`5 to 86,400.`,children:e=>(0,j.jsx)(`input`,{...e,type:`number`,min:5,max:86400,value:a.digestSeconds,onChange:({target:e})=>o({...a,digestSeconds:Math.trunc(Number(e.value))})})}):null,(0,j.jsx)(v,{legend:`Only changes of`,names:K,chosen:a.types,onChange:e=>o({...a,types:e})}),(0,j.jsx)(v,{legend:`Only if they were`,names:q,chosen:a.actions,onChange:e=>o({...a,actions:e})}),(0,j.jsxs)(`details`,{open:J.some(([e])=>n[e].length>0),children:[(0,j.jsx)(`summary`,{children:`Only of some terms and languages`}),(0,j.jsx)(`div`,{className:`admin-form`,children:J.map(([e,t])=>(0,j.jsx)(_,{label:t,hint:e===`languages`?`Such as en, pt-BR.`:`Their addresses, with commas between them.`,children:t=>(0,j.jsx)(`input`,{...t,value:l[e]??``,spellCheck:!1,onChange:({target:t})=>u({...l,[e]:t.value})})},e))})]}),(0,j.jsx)(`p`,{className:`hint wide-field`,children:`What you leave open filters nothing.`}),(0,j.jsx)(`p`,{className:`problem`,role:`alert`,children:r.problem}),(0,j.jsx)(`p`,{className:`actions`,children:(0,j.jsx)(`button`,{type:`submit`,className:`button main`,disabled:r.isBusy,children:t})})]})}function ce(e){return e.split(/[\s,]+/).filter(e=>e!==``)}function le(){let[{data:e,error:t},n]=o({query:D,variables:{},requestPolicy:`cache-and-network`}),[i,s]=(0,S.useState)(!1),[c,d]=(0,S.useState)(null),f=b(),p=e?.webhooks;return(0,j.jsxs)(j.Fragment,{children:[c?(0,j.jsx)(z,{title:`The secret of ${c.url}`,secret:c.secret,hint:`The receiver checks signatures by it. It is shown only now; you can rotate it later.`,onKept:()=>d(null)}):null,(0,j.jsx)(`p`,{className:`actions`,children:(0,j.jsx)(`button`,{type:`button`,className:i?`button`:`button main`,"aria-expanded":i,onClick:()=>s(!i),children:i?`No new webhook`:`New webhook`})}),i?(0,j.jsx)(Y,{label:`New webhook`,action:`Create the webhook`,start:G,asked:f,onSave:async e=>{let t=await f.ask(te,{input:e},e=>e.createWebhook);t?.secret!=null&&(d({url:e.url,secret:t.secret}),s(!1),n({requestPolicy:`network-only`}))}}):null,t&&!p?(0,j.jsx)(a,{error:t,onRetry:()=>n({requestPolicy:`network-only`})}):null,!e&&!t?(0,j.jsx)(r,{what:`the webhooks`}):null,p?(0,j.jsx)(`section`,{className:`post-group`,"aria-label":`Webhooks`,children:p.length===0?(0,j.jsx)(m,{children:`There are none yet. A static site builds itself by one, a cache is emptied by one.`}):(0,j.jsx)(`ul`,{className:`items`,children:p.map(e=>(0,j.jsxs)(`li`,{children:[(0,j.jsx)(u,{to:l.webhook(e.id),children:e.url}),(0,j.jsx)(X,{state:e.state}),(0,j.jsx)(`span`,{className:`count`,children:Z(e)})]},e.id))})}):null]})}var ue={ACTIVE:[`active`,`good`],FAILING:[`failing`,`bad`],DISABLED:[`disabled`,`off`],GONE:[`gone: the receiver has answered 410`,`off`]};function X({state:e}){let[t,n]=ue[e];return(0,j.jsx)(`span`,{className:`badge ${n}`,children:t})}function Z({digestSeconds:e,types:t,actions:n,tagSlugs:r,categorySlugs:i,authorSlugs:a,languages:o}){let s=[t.map(e=>K[e]),n.map(e=>q[e]??e),[...r,...i,...a],o].filter(e=>e.length>0),c=s.length===0?`all changes`:s.map(e=>g(e).toLowerCase()).join(`; `);return e==null?`a message for each change: ${c}`:`a digest every ${e} s at most: ${c}`}var de=[500,1500,4e3,1e4,16e3];function fe({id:e}){let[{data:t,error:n},i]=o({query:ee,variables:{id:e},requestPolicy:`cache-and-network`}),[s,c]=(0,S.useState)(0);if((0,S.useEffect)(()=>{if(s===0)return;let e=de.map(e=>window.setTimeout(()=>i({requestPolicy:`network-only`}),e));return()=>e.forEach(e=>window.clearTimeout(e))},[s,i]),n&&!t?.node)return(0,j.jsx)(a,{error:n,onRetry:()=>i({requestPolicy:`network-only`})});if(!t)return(0,j.jsx)(r,{what:`the webhook`});let d=t.node&&`deliveries`in t.node?t.node:null;return d?(0,j.jsx)(pe,{webhook:d,onAsked:()=>c(e=>e+1)}):(0,j.jsxs)(m,{children:[`There is no such webhook any more. `,(0,j.jsx)(u,{to:l.admin(`webhooks`),children:`All webhooks`})]})}function pe({webhook:e,onAsked:t}){let{id:n,url:r,state:i,nextAttemptAt:a,deliveries:o}=e,s=b(),c=b(),{ask:u,problem:d,isBusy:p}=s,[h,g]=(0,S.useState)(``),[_,v]=(0,S.useState)(null),y=i===`DISABLED`||i===`GONE`,C=e=>{g(e),t()},w=async()=>{await u(O,{input:{id:n,enabled:y}},e=>e.updateWebhook)&&C(y?`It is enabled, and gets what it has missed.`:`It is disabled.`)},T=async()=>{await u(k,{input:{id:n}},e=>e.testWebhook)&&C(`A test message is sent: see the deliveries.`)},E=async()=>{if(!window.confirm(`Make a new secret? For a day, the former one signs too.`))return;let e=await u(re,{input:{id:n}},e=>e.rotateWebhookSecret);e?.secret!=null&&v(e.secret)},D=async()=>{window.confirm(`Delete the webhook ${r} with its deliveries? This cannot be undone.`)&&await u(ne,{input:{id:n}},e=>e.deleteWebhook)&&f(l.admin(`webhooks`))};return(0,j.jsxs)(j.Fragment,{children:[_===null?null:(0,j.jsx)(z,{title:`The new secret`,secret:_,hint:`It is shown only now. For a day, the former one signs too.`,onKept:()=>v(null)}),(0,j.jsxs)(`section`,{className:`panel`,"aria-label":`This webhook`,children:[(0,j.jsx)(`h2`,{className:`address`,children:r}),(0,j.jsxs)(`p`,{children:[(0,j.jsx)(X,{state:i}),` `,(0,j.jsx)(`span`,{className:`count`,children:Z(e)})]}),a==null?null:(0,j.jsxs)(`p`,{className:`hint`,children:[`The last message has failed. It is sent again `,(0,j.jsx)(x,{at:a}),`.`]}),(0,j.jsxs)(`p`,{className:`actions`,children:[(0,j.jsx)(`button`,{type:`button`,className:`button`,disabled:p,onClick:()=>void T(),children:`Send a test`}),(0,j.jsx)(`button`,{type:`button`,className:`button`,disabled:p,onClick:()=>void w(),children:y?`Enable`:`Disable`}),(0,j.jsx)(`button`,{type:`button`,className:`button`,disabled:p,onClick:()=>void E(),children:`Rotate the secret`}),(0,j.jsx)(`button`,{type:`button`,className:`button quiet bad`,disabled:p,onClick:()=>void D(),children:`Delete`})]}),(0,j.jsx)(`p`,{role:`status`,className:`said`,children:h}),(0,j.jsx)(`p`,{className:`problem`,role:`alert`,children:d}),(0,j.jsxs)(`details`,{children:[(0,j.jsx)(`summary`,{children:`Change what it gets`}),(0,j.jsx)(Y,{label:`Change the webhook`,action:`Save`,start:{...e,digestSeconds:e.digestSeconds??0},asked:c,onSave:async({url:e,digestSeconds:t,types:r,actions:i,tagSlugs:a,categorySlugs:o,authorSlugs:s,languages:l})=>{let u={id:n,url:e,digestSeconds:t,types:r,actions:i,tagSlugs:a,categorySlugs:o,authorSlugs:s,languages:l};await c.ask(O,{input:u},e=>e.updateWebhook)&&C(`Saved.`)}})]}),(0,j.jsxs)(`details`,{children:[(0,j.jsx)(`summary`,{children:`Send changes again`}),(0,j.jsx)(me,{id:n,onDone:()=>C(`They are sent again, then those that follow.`)})]})]}),(0,j.jsxs)(`section`,{className:`post-group`,"aria-label":`Deliveries`,children:[(0,j.jsxs)(`h2`,{children:[`Deliveries `,(0,j.jsxs)(`span`,{className:`count`,children:[`the last `,o.length===0?`50 are kept`:o.length]})]}),o.length===0?(0,j.jsx)(m,{children:`Nothing has been sent yet.`}):(0,j.jsx)(he,{deliveries:o}),(0,j.jsx)(`p`,{className:`more`,children:(0,j.jsx)(`button`,{type:`button`,className:`button`,onClick:t,children:`Read them again`})})]})]})}function me({id:e,onDone:t}){let{ask:n,problem:r,setProblem:i,isBusy:a}=b(),[o,s]=(0,S.useState)(``),c=async()=>{let r=new Date(o);if(Number.isNaN(r.getTime()))return i(`Choose a day and a time.`);await n(A,{input:{id:e,since:r.toISOString()}},e=>e.replayWebhook)&&t()};return(0,j.jsxs)(`div`,{className:`admin-form`,children:[(0,j.jsx)(_,{label:`Since`,hint:`At most 29 days ago, in your time.`,children:e=>(0,j.jsx)(`input`,{...e,type:`datetime-local`,value:o,onChange:({target:e})=>s(e.value)})}),(0,j.jsx)(`p`,{className:`problem`,role:`alert`,children:r}),(0,j.jsx)(`p`,{className:`actions`,children:(0,j.jsx)(`button`,{type:`button`,className:`button`,disabled:a,onClick:()=>void c(),children:`Send them again`})})]})}var Q={DELIVERED:[`delivered`,`good`],REFUSED:[`refused`,`bad`],TIMEOUT:[`no answer within 15 s`,`bad`],UNREACHABLE:[`no connection`,`bad`],ADDRESS_NOT_ALLOWED:[`address not allowed`,`bad`],POSITION_EXPIRED:[`changes were left out`,`bad`]};function he({deliveries:e}){return(0,j.jsx)(`div`,{className:`wide`,tabIndex:0,role:`group`,"aria-label":`Table of deliveries`,children:(0,j.jsxs)(`table`,{className:`deliveries`,children:[(0,j.jsx)(`thead`,{children:(0,j.jsxs)(`tr`,{children:[(0,j.jsx)(`th`,{scope:`col`,children:`When`}),(0,j.jsx)(`th`,{scope:`col`,children:`Outcome`}),(0,j.jsx)(`th`,{scope:`col`,children:`Status`}),(0,j.jsx)(`th`,{scope:`col`,children:`Attempt`}),(0,j.jsx)(`th`,{scope:`col`,children:`Took`}),(0,j.jsx)(`th`,{scope:`col`,children:`Message`})]})}),(0,j.jsx)(`tbody`,{children:e.map(({at:e,messageId:t,outcome:n,status:r,attempt:i,durationMilliseconds:a,skipped:o})=>{let[s,c]=Q[n];return(0,j.jsxs)(`tr`,{children:[(0,j.jsx)(`td`,{children:(0,j.jsx)(x,{at:e})}),(0,j.jsxs)(`td`,{children:[(0,j.jsx)(`span`,{className:`badge ${c}`,children:s}),o?`, given up`:``]}),(0,j.jsx)(`td`,{children:r??`none`}),(0,j.jsx)(`td`,{children:i}),(0,j.jsxs)(`td`,{children:[a.toLocaleString(),` ms`]}),(0,j.jsx)(`td`,{children:(0,j.jsx)(`code`,{children:t??`none`})})]},`${e} ${t} ${i}`)})})]})})}var $={webhooks:{name:`Webhooks`,intro:`Addresses that get each change of what is public, a second after it was made.`},tokens:{name:`Tokens`,intro:`Who has one can do what its role allows, in this editor and through the API.`},"audit-log":{name:`Audit log`,intro:`Who changed what, the newest first.`}};function ge({section:r,id:i}){let{viewer:a}=n();if(!ve(r)||i!==void 0&&r!==`webhooks`)return(0,j.jsx)(t,{what:`page`});let o=Object.keys($).filter(t=>a?.role===`ADMIN`||t===`audit-log`&&e(a)),{name:s,intro:c}=$[r];return(0,j.jsxs)(p,{title:s,intro:c,children:[o.length>1?(0,j.jsx)(`nav`,{className:`tabs`,"aria-label":`Administration`,children:o.map(e=>(0,j.jsx)(u,{to:l.admin(e),children:$[e].name},e))}):null,o.includes(r)?(0,j.jsx)(_e,{section:r,id:i}):(0,j.jsx)(m,{children:`This needs a token with a higher role.`})]})}function _e({section:e,id:t}){switch(e){case`webhooks`:return t===void 0?(0,j.jsx)(le,{}):(0,j.jsx)(fe,{id:t},t);case`tokens`:return(0,j.jsx)(H,{});case`audit-log`:return(0,j.jsx)(oe,{})}}function ve(e){return Object.hasOwn($,e)}export{ge as default};